package untold.client;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What leaves the device: which plan, whose, for what, and the messages of every slot. No true value. */
public final class Report {
    public final String plan; // the plan's id
    public final String service;
    public final String user;
    public final long epoch; // 0 where a service reports once for all epochs
    public final boolean insecure; // made with repeatable draws: for experiments; collectors refuse it
    final List<List<Oracle.Message>> slots;
    final Map<String, Object> shown; // public columns, null where there is no value

    Report(String plan, String service, String user, long epoch, List<List<Oracle.Message>> slots, Map<String, Object> shown, boolean insecure) {
        this.plan = plan;
        this.service = service;
        this.user = user;
        this.epoch = epoch;
        this.slots = slots;
        this.shown = shown;
        this.insecure = insecure;
    }

    /** As it stands in a JSON body (docs/wire.md). */
    public Map<String, Object> json(Plan plan) {
        boolean seeds = plan.service(service).design.seedBits > 0;
        List<Object> all = new ArrayList<>();
        for (List<Oracle.Message> slot : slots) {
            List<Object> told = new ArrayList<>();
            for (Oracle.Message each : slot) {
                if (seeds) told.add(Arrays.asList(each.index, seed(each, 0), seed(each, 1)));
                else told.add(each.index);
            }
            all.add(told);
        }
        Map<String, Object> out = new LinkedHashMap<>();
        out.put("service", service);
        out.put("user", user);
        out.put("epoch", epoch);
        out.put("slots", all);
        Map<String, Object> columns = new LinkedHashMap<>();
        shown.forEach((name, value) -> {
            if (value != null) columns.put(name, plain(value));
        });
        if (!columns.isEmpty()) out.put("public", columns);
        return out;
    }

    private static String seed(Oracle.Message message, int place) {
        return message.extra.length == 0 ? "0" : Long.toUnsignedString(message.extra[place]);
    }

    /** Integers beyond 2^53 are strings. */
    private static Object plain(Object value) {
        if (!(value instanceof BigInteger) && !(value instanceof Long)) return value;
        BigInteger whole = value instanceof Long ? BigInteger.valueOf((Long) value) : (BigInteger) value;
        return whole.abs().bitLength() <= 53 && Math.abs(whole.doubleValue()) <= Fields.SAFE ? (Object) whole.longValue() : whole.toString();
    }
}
