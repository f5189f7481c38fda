package untold.client;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reports for one person, within a budget that the device itself keeps. From now on the plan's lifetime binds whoever uses this memory.
 *
 * Within an epoch the same report comes again, byte for byte, whatever the values are by then. In the next epoch the plan says: a fresh draw
 * that costs, the one report of all epochs, or (`changes`) the same report for the same value. Two devices that do not share a memory each
 * spend a whole lifetime. Columns and services that the plan does not have are left out.
 */
public final class Client {
    /** What an app may set. */
    public static final class Options {
        Memory memory = Memory.transientMemory();
        Randomness rng = Randomness.secure();
        BigInteger ceiling, lifetime;
        BigInteger before = BigInteger.ZERO;
        boolean several;

        /** Where to remember; by default only as long as the program runs. */
        public Options memory(Memory value) {
            memory = value;
            return this;
        }

        /** The most epsilon that this device accepts for one epoch, whatever plans say, all of them together. */
        public Options ceiling(double value) {
            ceiling = Exact.toNano(value);
            return this;
        }

        /** The most over all epochs and plans. */
        public Options lifetime(double value) {
            lifetime = Exact.toNano(value);
            return this;
        }

        /** Epsilon that this person has spent elsewhere: on another device, or in a memory that was lost. Added to what is spent here. */
        public Options spentBefore(double value) {
            before = Exact.toNano(value);
            return this;
        }

        /** Each key in this memory is a person of their own; else all of them share one budget. */
        public Options severalPeople() {
            several = true;
            return this;
        }

        /** For tests: what it makes is marked insecure. */
        public Options randomness(Randomness value) {
            rng = value;
            return this;
        }
    }

    public final Plan plan;
    public final String user;
    final Options options;

    public Client(Plan plan, String user, Options options) {
        this.plan = plan;
        this.user = user;
        this.options = options;
        checkUser(user);
        if (options.ceiling != null && plan.nano.compareTo(options.ceiling) > 0) {
            throw new UntoldException.BudgetExceeded("plan '" + plan.name + "' asks for epsilon " + Words.nano(plan.nano) + " per epoch; this device accepts at most "
                + Words.nano(options.ceiling) + ", which is " + Words.nano(plan.nano.subtract(options.ceiling)) + " less. Nothing was reported.");
        }
        options.memory.exclusive(items -> account(items));
    }

    /** The report of a service with one row per person. */
    public Report report(String service, Map<String, Object> row, long epoch) {
        return report(service, Arrays.asList(row), epoch);
    }

    /** The report for a service and an epoch, durable before it is returned; null in epochs that are not this device's, or without the service. */
    public Report report(String service, List<Map<String, Object>> rows, long epoch) {
        if (!takesPart(service, epoch)) return null;
        return counted(service, epoch, items -> reportInto(items, service, rows, epoch));
    }

    /** What this person has spent, in billionths of epsilon. */
    public BigInteger spentNano() {
        return options.memory.exclusive(items -> account(items).spent());
    }

    /** Whether this person reports to a service in an epoch: drawn and kept before any data are looked at. */
    boolean takesPart(String service, long epoch) {
        if (epoch < 0 || epoch > Wire.LAST_EPOCH) throw new UntoldException.BadRecord("epoch " + epoch + " is not an integer in 0..2^31 - 1.");
        if (!plan.has(service)) return false;
        if (plan.panel == null || plan.service(service).repeat.equals("once")) return true;
        return options.memory.exclusive(items -> drawnEpochs(reporting(items), epoch).contains(epoch));
    }

    /** The epochs of a stretch in which this device takes part. A stretch is drawn only if the lifetime covers all of it. */
    private List<Long> drawnEpochs(Account account, long epoch) {
        long cycle = epoch / plan.panel.epochs;
        Object[] place = {"panel", plan.name, plan.panel.report + " of " + plan.panel.epochs, cycle};
        if (account.get(place) == null) {
            BigInteger each = BigInteger.ZERO;
            for (Plan.Service service : plan.services) if (service.repeat.equals("fresh")) each = each.add(service.nano);
            account.afford("taking part in " + plan.panel.report + " of " + plan.panel.epochs + " epochs", each.multiply(BigInteger.valueOf(plan.panel.report)));
            List<Long> left = new ArrayList<>();
            for (int i = 0; i < plan.panel.epochs; i++) left.add(plan.panel.epochs * cycle + i);
            List<String> drawn = new ArrayList<>();
            for (int i = 0; i < plan.panel.report; i++) drawn.add(left.remove((int) options.rng.below(left.size())).toString());
            account.set(String.join(" ", drawn), place);
        }
        List<Long> found = new ArrayList<>();
        for (String each : account.get(place).split(" ")) found.add(Long.valueOf(each));
        return found;
    }

    /** Work that makes a report. A service that repeats `changes` and cannot pay counts in the epoch's ceiling as if it had left. */
    <Result> Result counted(String service, long epoch, java.util.function.Function<Map<String, String>, Result> work) {
        try {
            return options.memory.exclusive(work);
        } catch (UntoldException.BudgetExceeded error) {
            Plan.Service declared = plan.service(service);
            if (declared.repeat.equals("changes")) options.memory.exclusive(items -> leaving(items, declared, epoch));
            throw error;
        }
    }

    /** `report` within other work on the memory, after `takesPart`. */
    Report reportInto(Map<String, String> items, String service, List<Map<String, Object>> given, long epoch) {
        Plan.Service declared = plan.service(service);
        List<Map<String, Object>> rows = Encoder.fitted(declared, given);
        checkNames(declared, rows);
        List<List<Attribute.Position>> places = new ArrayList<>();
        for (Map<String, Object> row : rows) places.add(Encoder.places(declared, row));
        Account account = leaving(items, declared, epoch);
        Object[] place = declared.repeat.equals("once") ? new Object[] {"report", declared.mechanism, "once"} : new Object[] {"report", plan.id, service, epoch};
        if (account.get(place) == null) account.set(made(account, declared, places), place);
        Object[] beside = place.clone();
        beside[0] = "public";
        account.set(beside(account.get(beside), declared, rows), beside);
        boolean once = declared.repeat.equals("once");
        return read(service, once ? Plan.ONCE_EPOCH : epoch, account.get(place), account.get(beside));
    }

    /** A report that is paid for, or one of the same values. */
    private String made(Account account, Plan.Service service, List<List<Attribute.Position>> places) {
        if (!service.repeat.equals("changes")) {
            account.pay(service.name, service.nano);
            return drawn(service, places);
        }
        String value = Encoder.digest(service.mechanism, service.name, places);
        if (account.get("value", value) == null) {
            account.payAside(plan.name, service.name, service.nano);
            account.set(drawn(service, places), "value", value);
        }
        return account.get("value", value);
    }

    private String drawn(Plan.Service service, List<List<Attribute.Position>> places) {
        List<Object> slots = new ArrayList<>();
        for (List<Oracle.Message> slot : Encoder.encode(service, places, options.rng)) {
            List<Object> told = new ArrayList<>();
            for (Oracle.Message each : slot) {
                List<Object> message = new ArrayList<>();
                message.add(Long.toString(each.index));
                for (long seed : each.extra) message.add(Long.toUnsignedString(seed));
                told.add(message);
            }
            slots.add(told);
        }
        return Json.write(Arrays.asList(slots, options.rng.insecure()));
    }

    private Report read(String service, long epoch, String drawn, String beside) {
        List<?> kept = (List<?>) Json.parse(drawn);
        List<List<Oracle.Message>> slots = new ArrayList<>();
        for (Object slot : (List<?>) kept.get(0)) {
            List<Oracle.Message> told = new ArrayList<>();
            for (Object each : (List<?>) slot) {
                List<?> message = (List<?>) each;
                long[] seeds = message.subList(1, message.size()).stream().mapToLong(seed -> Long.parseUnsignedLong((String) seed)).toArray();
                told.add(new Oracle.Message(Long.parseLong((String) message.get(0)), seeds));
            }
            slots.add(told);
        }
        return new Report(plan.id, service, user, epoch, slots, shown(beside), (Boolean) kept.get(1));
    }

    /** The public values beside a report: as they were, and those of columns that another version adds as they are now. */
    private static String beside(String kept, Plan.Service service, List<Map<String, Object>> rows) {
        Map<String, Object> before = kept == null ? new LinkedHashMap<>() : shown(kept);
        List<Object> pairs = new ArrayList<>();
        for (Attribute each : service.open) {
            Object value = before.containsKey(each.name) ? before.get(each.name) : published(each.name, rows.isEmpty() ? null : rows.get(0).get(each.name), service.total);
            boolean whole = value instanceof BigInteger || value instanceof Long || value instanceof Integer;
            pairs.add(Arrays.asList(each.name, whole ? Map.of("integer", value.toString()) : value));
        }
        return Json.write(pairs);
    }

    private static Map<String, Object> shown(String kept) {
        Map<String, Object> found = new LinkedHashMap<>();
        for (Object pair : (List<?>) Json.parse(kept)) {
            Object value = ((List<?>) pair).get(1);
            found.put((String) ((List<?>) pair).get(0), value instanceof Map ? new BigInteger((String) ((Map<?, ?>) value).get("integer")) : value);
        }
        return found;
    }

    private static Object published(String name, Object value, boolean total) {
        if (value == null || value instanceof Boolean || value instanceof Integer || value instanceof Long || value instanceof BigInteger) return value;
        if (value instanceof String && isUnicode((String) value)) return value;
        if (value instanceof BigDecimal) return published(name, ((BigDecimal) value).doubleValue(), total);
        if ((value instanceof Double || value instanceof Float) && Double.isFinite(((Number) value).doubleValue())) return ((Number) value).doubleValue();
        if (total) return null;
        throw new UntoldException.BadRecord("public column '" + name + "' must be a string of valid Unicode, a finite number, a boolean or null.");
    }

    /** The person's account, bound by this plan: also with every report, since the memory may have been emptied meanwhile. */
    private Account account(Map<String, String> items) {
        Account account = new Account(items, user, options.several);
        account.bind(options.lifetime, plan.lifetimeNano, options.before);
        return account;
    }

    /** The account with what services that repeat `changes` may spend set aside, whatever their values will be. */
    private Account reporting(Map<String, String> items) {
        Account account = account(items);
        for (Plan.Service each : plan.services) {
            if (each.repeat.equals("changes")) account.setAside(plan.name, each.name, plan.asideNano(each, account.lifetime()));
        }
        return account;
    }

    /** The same, with a report counted among what leaves in an epoch, if the ceiling allows it. */
    private Account leaving(Map<String, String> items, Plan.Service service, long epoch) {
        Account account = reporting(items);
        account.takePart(plan.name, epoch, plan.id);
        account.leave(epoch, plan.id + "/" + service.name, service.name, service.nano, options.ceiling);
        return account;
    }

    private static void checkNames(Plan.Service service, List<Map<String, Object>> rows) {
        List<String> names = new ArrayList<>();
        for (Attribute each : service.attributes) names.add(each.name);
        for (int i = 0; i < rows.size(); i++) {
            List<String> missing = new ArrayList<>();
            for (Attribute each : service.attributes) {
                boolean needed = each.role != Attribute.Role.PUBLIC && !each.mayBeMissing() && !each.isTotal();
                if (needed && !rows.get(i).containsKey(each.name)) missing.add(each.name);
            }
            if (!missing.isEmpty()) {
                throw new UntoldException.BadRecord("row " + i + " of service '" + service.name + "': missing " + String.join(", ", missing) + "; the plan has "
                    + String.join(", ", names) + ".");
            }
        }
    }

    private static void checkUser(String user) {
        if (user == null || user.isEmpty() || !isUnicode(user) || user.getBytes(StandardCharsets.UTF_8).length > Wire.LONGEST_KEY) {
            throw new UntoldException.BadRecord("a user key is a string of 1 to " + Wire.LONGEST_KEY + " bytes of valid Unicode.");
        }
    }

    private static boolean isUnicode(String text) {
        try {
            StandardCharsets.UTF_8.newEncoder().encode(java.nio.CharBuffer.wrap(text));
            return true;
        } catch (CharacterCodingException error) {
            return false;
        }
    }
}
