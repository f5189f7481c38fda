package untold.client;

import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reports as they travel: strict JSON, and the binary form. The contract is docs/wire.md. */
public final class Wire {
    static final String JSON_TYPE = "application/json", BINARY_TYPE = "application/vnd.untold.reports";
    static final int LONGEST_KEY = 255, LONGEST_TEXT = 1000; // bytes
    static final long LAST_EPOCH = 2147483647L;
    static final List<String> FORGET = List.of("conflict", "epoch-closed", "bad-service", "bad-epoch", "bad-user", "bad-slots", "bad-message",
        "bad-public", "insecure", "other-plan", "bad-json", "bad-binary", "bad-gzip", "bad-type", "too-large", "other-user");
    static final List<Integer> LATER = List.of(408, 425, 429);

    private Wire() {}

    /** Whether a status means that the same bytes may be taken later, whatever the answer says. */
    static boolean tryLater(int status) {
        return status >= 500 || LATER.contains(status);
    }

    /** A body with these reports, all of one plan. */
    public static String toJson(Plan plan, List<Report> reports) {
        List<Object> listed = new ArrayList<>();
        boolean insecure = false;
        for (Report each : reports) {
            listed.add(each.json(plan));
            insecure |= each.insecure;
        }
        Map<String, Object> body = new LinkedHashMap<>();
        body.put("plan", plan.id);
        if (insecure) body.put("insecure", true);
        body.put("reports", listed);
        return Json.write(body);
    }

    /** A body with these reports, all of one plan, service and epoch. `columns` are the types that the collector publishes. */
    public static byte[] toBinary(Plan plan, List<Report> reports, SignedPlan.Columns columns) {
        for (Report each : reports) {
            if (!each.service.equals(reports.get(0).service) || each.epoch != reports.get(0).epoch) {
                throw new UntoldException.BadRecord("a binary body holds one or more reports of one service and epoch.");
            }
        }
        if (reports.isEmpty()) throw new UntoldException.BadRecord("a binary body holds one or more reports of one service and epoch.");
        Plan.Service service = plan.service(reports.get(0).service);
        Bytes out = new Bytes();
        out.raw("UNTR".getBytes(StandardCharsets.UTF_8));
        out.number(1, 1);
        out.number(reports.stream().anyMatch(each -> each.insecure) ? 1 : 0, 1);
        out.number(service.number, 2);
        out.number(reports.get(0).epoch, 4);
        out.number(reports.size(), 4);
        out.raw(Words.unhex(plan.id, 32));
        for (Report each : reports) {
            byte[] record = record(service, each, columns);
            out.number(record.length, 4);
            out.raw(record);
        }
        return out.all();
    }

    private static byte[] record(Plan.Service service, Report report, SignedPlan.Columns columns) {
        Bytes out = new Bytes();
        out.messages(service, report.slots);
        if (columns.userKey.equals("integer")) {
            out.number(8, 1);
            out.number(new BigInteger(report.user).longValueExact(), 8);
        } else {
            byte[] user = report.user.getBytes(StandardCharsets.UTF_8);
            if (user.length < 1 || user.length > LONGEST_KEY) throw new UntoldException.BadRecord("a user key has 1 to " + LONGEST_KEY + " bytes.");
            out.number(user.length, 1);
            out.raw(user);
        }
        Map<String, String> types = columns.open.getOrDefault(service.name, Map.of());
        for (Attribute each : service.open) out.column(each.name, report.shown.get(each.name), types.get(each.name));
        return out.all();
    }

    /** The messages of several services, and nothing else: what a bundle has inside. */
    static byte[] messages(List<Plan.Service> services, List<Report> reports) {
        Bytes out = new Bytes();
        for (int i = 0; i < services.size(); i++) out.messages(services.get(i), reports.get(i).slots);
        return out.all();
    }

    /** Public texts, or that there are none. */
    static byte[] group(List<String> group) {
        Bytes out = new Bytes();
        for (String each : group) out.column("mix.by", each, "text");
        return out.all();
    }

    /** Little-endian bytes that grow. */
    private static final class Bytes {
        private final ByteArrayOutputStream out = new ByteArrayOutputStream();

        void raw(byte[] bytes) {
            out.write(bytes, 0, bytes.length);
        }

        void number(long value, int bytes) {
            for (int i = 0; i < bytes; i++) out.write((int) (value >>> (8 * i)));
        }

        void messages(Plan.Service service, List<List<Oracle.Message>> slots) {
            int seed = service.design.seedBits / 8;
            for (List<Oracle.Message> slot : slots) {
                for (Oracle.Message each : slot) {
                    number(each.index, 4);
                    for (int i = 0; seed > 0 && i < 2; i++) number(each.extra.length == 0 ? 0 : each.extra[i], seed);
                }
            }
        }

        void column(String name, Object value, String type) {
            number(value == null ? 0 : 1, 1);
            if (value == null) return;
            Double number = Attribute.numberOf(value);
            boolean whole = value instanceof BigInteger || value instanceof Long || value instanceof Integer || (number != null && Fields.isWhole(number));
            if ("text".equals(type) && value instanceof String) {
                byte[] text = ((String) value).getBytes(StandardCharsets.UTF_8);
                if (text.length > LONGEST_TEXT) throw new UntoldException.BadRecord("public column '" + name + "' has more than " + LONGEST_TEXT + " bytes.");
                number(text.length, 2);
                raw(text);
            } else if ("boolean".equals(type) && value instanceof Boolean) number((Boolean) value ? 1 : 0, 1);
            else if ("integer".equals(type) && whole) number(value instanceof BigInteger ? ((BigInteger) value).longValueExact() : ((Number) value).longValue(), 8);
            else if ("number".equals(type) && number != null) raw(ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putDouble(number).array());
            else throw new UntoldException.BadRecord("public column '" + name + "' of this collector is " + (type == null ? "unknown" : type) + ".");
        }

        byte[] all() {
            return out.toByteArray();
        }
    }
}
