package untold.client;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/** Holds the client to tests/vectors: java -cp ... untold.client.Vectors FOLDER. Prints how many cases each file has; 1 if one fails. */
public final class Vectors {
    private static final String TOKEN = "0".repeat(64);
    private static int cases, failed;

    private interface Check {
        void run(Map<?, ?> vector) throws Exception;
    }

    /** Hands out given words in order. */
    static final class Replayed extends Randomness {
        final Deque<Long> left = new ArrayDeque<>();

        Replayed(Object words) {
            for (Object each : (List<?>) words) left.add(new BigInteger((String) each).longValue());
        }

        @Override
        public long word() {
            if (left.isEmpty()) throw new AssertionError("more words were drawn than the vector has");
            return left.remove();
        }
    }

    public static void main(String[] arguments) throws Exception {
        Path folder = Paths.get(arguments[0]);
        run(folder, "draws", Vectors::draw);
        run(folder, "cell_order", Vectors::order);
        run(folder, "attributes", Vectors::attribute);
        run(folder, "reports", Vectors::reports);
        run(folder, "format_2/reports", Vectors::reports);
        run(folder, "wire", Vectors::wire);
        run(folder, "client", Vectors::client);
        run(folder, "contract", Vectors::contract);
        run(folder, "hostile", Vectors::hostile);
        run(folder, "chains", Vectors::chains);
        run(folder, "promised", Vectors::promised);
        run(folder, "mixed", Vectors::mixed);
        if (failed > 0) {
            System.out.println(failed + " of " + cases + " failed");
            System.exit(1);
        }
        System.out.println(cases + " cases, all as they should be");
    }

    private static void run(Path folder, String name, Check check) throws Exception {
        int before = cases;
        Object all = Json.parse(new String(Files.readAllBytes(folder.resolve(name + ".json")), StandardCharsets.UTF_8));
        for (Object each : (List<?>) all) {
            cases++;
            Map<?, ?> vector = (Map<?, ?>) each;
            try {
                check.run(vector);
            } catch (Exception | AssertionError error) {
                failed++;
                Object about = vector.containsKey("name") ? vector.get("name") : vector.toString().substring(0, Math.min(90, vector.toString().length()));
                System.out.println("FAILED " + name + ": " + about + ": " + error);
            }
        }
        System.out.println(name + ": " + (cases - before));
    }

    private static void same(Object found, Object wanted, String what) {
        if (!Objects.equals(found, wanted)) throw new AssertionError(what + ": " + found + ", not " + wanted);
    }

    private static void draw(Map<?, ?> vector) {
        List<BigInteger> given = new ArrayList<>();
        for (Object each : (List<?>) vector.get("arguments")) given.add(new BigInteger((String) each));
        Replayed rng = new Replayed(vector.get("words"));
        String draw = (String) vector.get("draw");
        String result;
        if (draw.equals("below")) result = Long.toUnsignedString(rng.below(given.get(0).longValue()));
        else if (draw.equals("chance")) result = Integer.toString(rng.chance(given.get(0).longValue()));
        else if (draw.equals("choose")) result = Integer.toString(rng.choose(given.stream().filter(each -> each.compareTo(Exact.WORD) < 0).mapToLong(BigInteger::longValue).toArray()));
        else {
            long[] found = rng.tilted(new Randomness.Dice(given.get(0), given.get(1), given.get(2).longValue(), given.get(3).longValue()));
            result = Long.toString(found[0] * given.get(2).longValue() + found[1]);
        }
        if (draw.equals("chance") && given.get(0).equals(Exact.WORD)) result = "1";
        same(result, vector.get("result"), draw + given);
        same(rng.left.size(), 0, "words left");
    }

    private static void order(Map<?, ?> vector) {
        List<?> cells = (List<?>) vector.get("cells");
        for (int i = 0; i < cells.size(); i++) {
            long place = CellOrder.place(((Double) cells.get(i)).longValue(), ((Double) vector.get("sides")).longValue(), ((Double) vector.get("digits")).intValue());
            same((double) place, ((List<?>) vector.get("places")).get(i), "cell " + cells.get(i));
        }
    }

    private static void attribute(Map<?, ?> vector) {
        Attribute attribute = Attribute.read("x", Fields.of(vector.get("declared"), "x"));
        List<?> values = (List<?>) vector.get("values");
        for (int i = 0; i < values.size(); i++) {
            List<?> wanted = (List<?>) ((List<?>) vector.get("positions")).get(i);
            Object found = null;
            try {
                Attribute.Position position = attribute.position(values.get(i));
                found = List.of((double) position.code, position.fraction);
            } catch (UntoldException.BadRecord refused) {
                found = null;
            }
            same(found, wanted, Words.show(values.get(i)));
        }
    }

    private static List<Map<String, Object>> rows(Object given) {
        List<Map<String, Object>> found = new ArrayList<>();
        for (Object row : given instanceof List ? (List<?>) given : List.of(given)) {
            Map<String, Object> values = new LinkedHashMap<>();
            if (row instanceof Map) ((Map<?, ?>) row).forEach((name, value) -> values.put((String) name, value));
            found.add(values);
        }
        return found;
    }

    private static List<Object> plain(List<List<Oracle.Message>> slots) {
        List<Object> all = new ArrayList<>();
        for (List<Oracle.Message> slot : slots) {
            List<Object> told = new ArrayList<>();
            for (Oracle.Message each : slot) {
                List<Object> seeds = new ArrayList<>();
                for (long seed : each.extra) seeds.add(Long.toUnsignedString(seed));
                told.add(List.of((double) each.index, seeds));
            }
            all.add(told);
        }
        return all;
    }

    private static void reports(Map<?, ?> vector) {
        Plan plan = Plan.fromJson((String) vector.get("plan"));
        same(plan.id, vector.get("id"), "id");
        for (Object each : (List<?>) vector.get("cases")) {
            Map<?, ?> one = (Map<?, ?>) each;
            Plan.Service service = plan.service((String) one.get("service"));
            List<List<Attribute.Position>> places = new ArrayList<>();
            for (Map<String, Object> row : Encoder.fitted(service, rows(one.get("rows")))) places.add(Encoder.places(service, row));
            Replayed rng = new Replayed(one.get("words"));
            same(plain(Encoder.encode(service, places, rng)), one.get("slots"), "slots");
            same(rng.left.size(), 0, "words left");
            same(Encoder.digest(plan.id, service.name, places), one.get("digest"), "digest");
        }
    }

    private static void wire(Map<?, ?> vector) {
        Plan plan = Plan.fromJson((String) vector.get("plan"));
        Map<?, ?> about = (Map<?, ?>) vector.get("columns");
        SignedPlan.Columns columns = new SignedPlan.Columns((String) about.get("user_key"));
        ((Map<?, ?>) about.get("public")).forEach((service, types) -> {
            Map<String, String> found = new LinkedHashMap<>();
            ((Map<?, ?>) types).forEach((name, type) -> found.put((String) name, (String) type));
            columns.open.put((String) service, found);
        });
        Plan.Service service = plan.service((String) vector.get("service"));
        List<Report> secure = new ArrayList<>();
        for (Object each : (List<?>) vector.get("reports")) {
            Map<?, ?> one = (Map<?, ?>) each;
            List<List<Oracle.Message>> slots = new ArrayList<>();
            for (Object slot : (List<?>) one.get("slots")) {
                List<Oracle.Message> told = new ArrayList<>();
                for (Object message : (List<?>) slot) {
                    List<?> pair = (List<?>) message;
                    long[] seeds = ((List<?>) pair.get(1)).stream().mapToLong(seed -> new BigInteger(seed instanceof Double ? Words.plain((Double) seed) : (String) seed).longValue()).toArray();
                    told.add(new Oracle.Message(((Double) pair.get(0)).longValue(), seeds));
                }
                slots.add(told);
            }
            Map<String, Object> shown = new LinkedHashMap<>();
            for (Attribute column : service.open) shown.put(column.name, ((Map<?, ?>) one.get("public")).get(column.name));
            Object user = one.get("user");
            secure.add(new Report(plan.id, service.name, user instanceof Double ? Words.plain((Double) user) : (String) user, ((Double) vector.get("epoch")).longValue(), slots, shown, false));
        }
        same(sorted(Json.parse(Wire.toJson(plan, secure))), sorted(Json.parse((String) vector.get("json"))), "json");
        same(Words.hex(Wire.toBinary(plan, secure, columns)), vector.get("binary"), "binary");
    }

    /** Objects with their names in order, to compare them. */
    private static Object sorted(Object value) {
        if (value instanceof Map) {
            Map<Object, Object> found = new TreeMap<>();
            ((Map<?, ?>) value).forEach((name, each) -> found.put(name, sorted(each)));
            return found;
        }
        if (!(value instanceof List)) return value;
        List<Object> found = new ArrayList<>();
        for (Object each : (List<?>) value) found.add(sorted(each));
        return found;
    }

    private static void refusal(List<?> wanted, UntoldException error) {
        same(error.name(), wanted.get(0), "refused");
        same(error.getMessage(), wanted.get(1), "words");
    }

    private static void client(Map<?, ?> vector) {
        List<Plan> plans = new ArrayList<>();
        for (Object text : (List<?>) vector.get("plans")) plans.add(Plan.fromJson((String) text));
        Client.Options options = new Client.Options().randomness(new Replayed(vector.containsKey("words") ? vector.get("words") : List.of()));
        if (vector.get("ceiling") != null) options.ceiling((Double) vector.get("ceiling"));
        if (vector.containsKey("refused")) {
            try {
                new Client(plans.get(0), "u-17", options);
                throw new AssertionError("accepted");
            } catch (UntoldException error) {
                refusal((List<?>) vector.get("refused"), error);
            }
            return;
        }
        for (Object each : (List<?>) vector.get("steps")) {
            Map<?, ?> step = (Map<?, ?>) each;
            Object user = step.get("user");
            Client client = new Client(plans.get(((Double) step.get("plan")).intValue()), user instanceof Double ? Words.plain((Double) user) : (String) user, options);
            try {
                Report report = client.report((String) step.get("service"), rows(step.get("rows")), ((Double) step.get("epoch")).longValue());
                same(report == null ? List.of() : plain(report.slots), step.get("messages"), "messages");
                same(report == null ? null : (double) report.epoch, step.get("sent_as"), "epoch");
                if (step.containsKey("refused")) throw new AssertionError("accepted");
            } catch (UntoldException error) {
                if (!step.containsKey("refused")) throw error;
                refusal((List<?>) step.get("refused"), error);
            }
            same(client.spentNano().toString(), step.get("spent"), "spent");
        }
    }

    private static void contract(Map<?, ?> vector) {
        if ("types".equals(vector.get("name"))) same(vector.get("values"), Map.of("JSON_TYPE", Wire.JSON_TYPE, "BINARY_TYPE", Wire.BINARY_TYPE), "types");
        if (!vector.containsKey("codes")) return;
        for (Object each : (List<?>) vector.get("codes")) {
            List<?> code = (List<?>) each;
            same(Wire.FORGET.contains(code.get(0)), "forget".equals(code.get(2)), "forget " + code);
            same(Wire.tryLater(((Double) code.get(1)).intValue()), "later".equals(code.get(2)), "later " + code);
        }
    }

    private static Device connect(Memory memory, Object offer, Device.Settings settings) {
        settings.memory(memory);
        settings.offer = () -> Json.write(offer);
        return Device.connect(settings);
    }

    private static Device.Settings settings() {
        return new Device.Settings("http://127.0.0.1:1/", "u-17", TOKEN);
    }

    private static void hostile(Map<?, ?> vector) {
        Map<?, ?> trust = (Map<?, ?>) vector.get("trust");
        Device.Settings settings = settings().key((String) trust.get("key")).ceiling((Double) trust.get("ceiling"));
        if (trust.get("plan_id") != null) settings.planId((String) trust.get("plan_id"));
        expect(Memory.transientMemory(), vector.get("signed"), settings, (String) vector.get("refused"), null);
    }

    private static void expect(Memory memory, Object offer, Device.Settings settings, String refused, String words) {
        try {
            connect(memory, offer, settings);
        } catch (UntoldException error) {
            same(error.name(), refused, error.getMessage());
            if (words != null && !error.getMessage().contains(words)) throw new AssertionError(error.getMessage());
            return;
        }
        same("accepted", refused == null ? "accepted" : refused, "");
    }

    private static void chains(Map<?, ?> vector) {
        Memory memory = Memory.transientMemory();
        for (Object each : (List<?>) vector.get("steps")) {
            Map<?, ?> step = (Map<?, ?>) each;
            Device.Settings settings = settings();
            if (vector.get("key") != null) settings.key((String) vector.get("key"));
            expect(memory, step.get("offer"), settings, step.get("refused") == null ? null : "UntrustedPlan", (String) step.get("refused"));
        }
    }

    private static void promised(Map<?, ?> vector) {
        Memory memory = Memory.transientMemory();
        for (Object each : (List<?>) vector.get("before")) connect(memory, each, settings());
        Map<?, ?> allowed = (Map<?, ?>) vector.get("allowed");
        for (int i = 0; i < 2; i++) {
            Device.Settings settings = settings();
            if (allowed.get("plan_id") != null) settings.planId((String) allowed.get("plan_id"));
            if (allowed.get("public") != null) settings.allowPublic(((List<?>) allowed.get("public")).toArray(new String[0]));
            if (allowed.get("changes") != null) settings.allowChanges(((List<?>) allowed.get("changes")).toArray(new String[0]));
            expect(memory, vector.get("offer"), settings, vector.get("refused") == null ? null : "UntrustedPlan", (String) vector.get("refused"));
        }
    }

    private static void mixed(Map<?, ?> vector) {
        Memory memory = Memory.transientMemory();
        Device.Settings first = settings().relay("http://127.0.0.1:1/");
        Device.Settings second = settings().relay("http://127.0.0.1:1/");
        if (vector.get("people") != null) {
            first.people(((Double) vector.get("people")).longValue());
            second.people(((Double) vector.get("people")).longValue());
        }
        if (vector.get("before") != null) connect(memory, vector.get("before"), first);
        expect(memory, vector.get("offer"), second, (String) vector.get("refused"), null);
        if (vector.get("refused") != null || vector.get("bytes") == null) return;
        Device device = connect(memory, vector.get("offer"), settings().relay("http://127.0.0.1:1/"));
        Map<String, List<Map<String, Object>>> rows = Map.of("users", rows(Map.of("age", 3.0, "os", "ios")), "clicks", rows(Map.of("page", "x")));
        same(device.reportAll(rows, 0), true, "bundle");
        String body = Sending.queued(memory, "http://127.0.0.1:1/", "u-17").values().iterator().next();
        Map<?, ?> columns = (Map<?, ?>) ((Map<?, ?>) ((List<?>) ((Map<?, ?>) Json.parse(body)).get("reports")).get(0)).get("public");
        int bytes = 0;
        for (Map.Entry<?, ?> each : columns.entrySet()) {
            if (((String) each.getKey()).startsWith("sealed_")) bytes += java.util.Base64.getDecoder().decode((String) each.getValue()).length;
        }
        same((double) bytes, vector.get("bytes"), "bytes of a bundle");
    }
}
