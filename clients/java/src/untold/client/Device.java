package untold.client;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;

/**
 * A client that fetches its plan from a collector, follows it only if it trusts it, and sends its reports there or, where the plan has them
 * mixed, as sealed bundles to a relay. Everything that leaves is in the memory first, and leaves as it is there.
 */
public final class Device {
    private static final int PIECE = 750; // bytes of a sealed bundle in one column of text
    private static final String NOBODY = "0".repeat(64); // the id of no plan

    /** What an app says of itself and of whom it trusts. */
    public static final class Settings {
        final String url, user, token;
        final Client.Options options = new Client.Options();
        String key, planId, relay;
        Long people;
        List<String> open, changes;
        Supplier<String> offer; // for tests: instead of GET /plan

        public Settings(String url, String user, String token) {
            this.url = Http.root(url);
            this.user = user;
            this.token = token;
            offer = () -> Http.askPlan(this.url);
            if (!token.matches("[0-9a-fA-F]{64}")) throw new UntoldException("a token is 64 hexadecimal digits; the collector gives each person theirs.");
        }

        /** Where to remember: give one that lasts. */
        public Settings memory(Memory value) {
            options.memory(value);
            return this;
        }

        /** The most epsilon for one epoch; by default that of the first plan that this memory saw. */
        public Settings ceiling(double value) {
            options.ceiling(value);
            return this;
        }

        /** The most over all epochs. */
        public Settings lifetime(double value) {
            options.lifetime(value);
            return this;
        }

        /** Epsilon that was spent elsewhere. */
        public Settings spentBefore(double value) {
            options.spentBefore(value);
            return this;
        }

        /** Each key in this memory is a person of their own. */
        public Settings severalPeople() {
            options.severalPeople();
            return this;
        }

        /** The collector's public key, 64 hex; by default the first one that this memory saw. */
        public Settings key(String value) {
            key = value;
            return this;
        }

        /** The only plan that is accepted. */
        public Settings planId(String value) {
            planId = value;
            return this;
        }

        /** The relay's address, for plans that mix; the token is then the relay's. */
        public Settings relay(String value) {
            relay = Http.root(value);
            return this;
        }

        /** The least number of people in a mixed batch; by default that of the first mixed plan that this memory saw. */
        public Settings people(long value) {
            people = value;
            return this;
        }

        /** The columns that may leave as they are ("users.os"); by default those that are public in the first plan. */
        public Settings allowPublic(String... columns) {
            open = Arrays.asList(columns);
            return this;
        }

        /** The services that may repeat `changes`; by default those of the first plan. */
        public Settings allowChanges(String... services) {
            changes = Arrays.asList(services);
            return this;
        }
    }

    public final Client client;
    public final SignedPlan signed;
    private final Settings settings;

    private Device(Settings settings, Client client, SignedPlan signed) {
        this.settings = settings;
        this.client = client;
        this.signed = signed;
    }

    /** Fetch the signed plan, or take the last one when the collector is away, and refuse what weakens an earlier promise. */
    public static Device connect(Settings settings) {
        Memory memory = settings.options.memory;
        Map<String, String> kept = memory.exclusive(items -> new LinkedHashMap<>(items));
        String text;
        try {
            text = settings.offer.get();
        } catch (UntoldException.CollectorError error) {
            text = kept.get(place("plan", settings));
            if (text == null) throw error;
        }
        SignedPlan signed = SignedPlan.read(text);
        List<String> passed = new ArrayList<>(Arrays.asList(kept.getOrDefault(place("keys", settings), "").split(" "))); // that were trusted
        boolean given = settings.key != null && !passed.contains(settings.key.toLowerCase(Locale.ROOT));
        String trusted = given ? settings.key : kept.getOrDefault(place("key", settings), signed.key);
        Chain.Reached reached = Chain.reach(signed.chain, trusted, given ? null : kept.get(place("next", settings)), signed.key);
        if (given) passed.clear();
        for (String each : new String[] {trusted.toLowerCase(Locale.ROOT), reached.key.toLowerCase(Locale.ROOT)}) if (!passed.contains(each)) passed.add(each);
        Plan plan = signed.open(reached.key, settings.planId);
        String people = checkMix(plan, settings, kept.get(place("people", settings)));
        String versionPlace = place("version " + plan.name, settings);
        int highest = Integer.parseInt(kept.getOrDefault(versionPlace, "1"));
        if (settings.planId == null && plan.version < highest) {
            throw new UntoldException.UntrustedPlan("plan '" + plan.name + "' is of version " + plan.version + "; this device has followed version " + highest
                + ". Nothing was reported.\nHint: to go back, offer what the plan was under a higher version.");
        }
        String before = kept.get(place("promised", settings));
        Promised promised = before == null ? Promised.by(plan) : Promised.read(before);
        if (settings.planId == null) {
            promised.widened(settings.open, settings.changes).check(plan);
            promised = promised.grown(plan);
        }
        String first = kept.getOrDefault(place("ceiling", settings), plan.nano.toString());
        if (settings.options.ceiling == null) settings.options.ceiling = new BigInteger(first);
        // its lifetime binds the ledger before the device remembers the plan as accepted
        Client client = new Client(plan, settings.user, settings.options);
        String offered = text;
        String grown = promised.text();
        memory.exclusive(items -> {
            items.put(place("key", settings), reached.key);
            if (reached.next != null) {
                items.put(place("next", settings), reached.next);
                items.put(place("keys", settings), String.join(" ", passed).trim());
            }
            items.put(place("plan", settings), offered);
            items.put(place("ceiling", settings), first);
            items.put(place("promised", settings), grown);
            if (people != null) items.put(place("people", settings), people);
            if (plan.version > highest) items.put(versionPlace, Integer.toString(plan.version));
            return null;
        });
        return new Device(settings, client, signed);
    }

    public Plan plan() {
        return client.plan;
    }

    /** The newest epoch that the collector had open when it was asked. */
    public long epoch() {
        return Arrays.stream(signed.open).max().orElse(0);
    }

    /** A report of a service with one row per person. */
    public Report report(String service, Map<String, Object> row, long epoch) {
        return report(service, Arrays.asList(row), epoch);
    }

    /** Make a report and queue it, in one step, so that none is paid for and lost. Null in epochs that are not this device's. */
    public Report report(String service, List<Map<String, Object>> rows, long epoch) {
        if (settings.relay != null) throw new UntoldException("reports of this plan are mixed: reportAll makes the bundle of an epoch.");
        if (!client.takesPart(service, epoch)) return null;
        return client.counted(service, epoch, items -> {
            Report report = client.reportInto(items, service, rows, epoch);
            Sending.enqueue(items, settings.url, client.user, Arrays.asList(report.plan, service, report.epoch), Wire.toJson(client.plan, List.of(report)));
            return report;
        });
    }

    /**
     * The bundle of an epoch from the rows of all services: drawn, paid for, sealed and queued in one step. The same epoch again is the
     * same bytes. False in an epoch of a panel that is not this device's.
     */
    public boolean reportAll(Map<String, List<Map<String, Object>>> rows, long epoch) {
        Plan plan = client.plan;
        List<String> needed = new ArrayList<>();
        List<String> names = new ArrayList<>();
        for (Plan.Service each : plan.services) {
            names.add(each.name);
            if (each.rowsMax == 0 && !rows.containsKey(each.name)) needed.add(each.name);
        }
        if (!needed.isEmpty()) {
            throw new UntoldException.BadRecord("a bundle has rows of every service (" + String.join(", ", names) + "); missing: " + String.join(", ", needed)
                + ".\nHint: they have exactly one row per person.");
        }
        for (String each : names) if (!client.takesPart(each, epoch)) return false;
        return settings.options.memory.exclusive(items -> {
            String place = Json.write(client.user) + "/sealed/" + plan.id + "/" + epoch;
            if (!items.containsKey(place)) {
                List<Report> reports = new ArrayList<>();
                for (String each : names) reports.add(client.reportInto(items, each, rows.getOrDefault(each, List.of()), epoch));
                items.put(place, bundle(reports, epoch));
            }
            Sending.enqueue(items, settings.relay, client.user, Arrays.asList(plan.id, "bundles", epoch), items.get(place));
            return true;
        });
    }

    /** Send everything that waits, trying again for so many milliseconds. What is left stays in the memory. */
    public Sending.Sent send(long patience) {
        Memory memory = settings.options.memory;
        if (settings.relay == null) return Sending.sendAll(memory, settings.url, client.user, settings.token, patience, body -> body);
        Sending.Sent none = new Sending.Sent();
        none.waiting = Sending.queued(memory, settings.relay, client.user).size();
        if (none.waiting == 0 || !knowsRelay()) return none;
        Map<String, String> kept = memory.exclusive(items -> new LinkedHashMap<>(items));
        return Sending.sendAll(memory, settings.relay, client.user, settings.token, patience, body -> {
            Map<?, ?> bundle = (Map<?, ?>) Json.parse(body);
            Map<String, Object> envelope = new LinkedHashMap<>();
            envelope.put("plan", kept.getOrDefault(relayPlace((String) bundle.get("plan")), NOBODY)); // of a plan that the relay has left: it says so
            envelope.put("reports", bundle.get("reports"));
            return Json.write(envelope);
        });
    }

    /** The epochs that the relay takes bundles of; a relay of another plan is refused. */
    public long[] openEpochs() {
        return askRelay().open;
    }

    /** Whether the relay has said by which id it knows this plan. It is asked once. */
    private boolean knowsRelay() {
        Memory memory = settings.options.memory;
        if (memory.exclusive(items -> items.containsKey(relayPlace(client.plan.id)))) return true;
        try {
            String id = Words.sha256(askRelay().plan);
            memory.exclusive(items -> items.put(relayPlace(client.plan.id), id));
            return true;
        } catch (UntoldException.CollectorError away) {
            return false;
        }
    }

    private SignedPlan askRelay() {
        String text = Http.askPlan(settings.relay);
        SignedPlan answer;
        Plan envelope;
        try {
            answer = SignedPlan.read(text);
            envelope = Plan.fromJson(answer.plan);
        } catch (UntoldException error) {
            throw new UntoldException.CollectorError("nobody answers there as a relay does (a network's log-in page?). Nothing was sent; try again later.", 0);
        }
        if (!envelope.name.equals("mix_" + client.plan.id.substring(0, 48))) {
            throw new UntoldException.UntrustedPlan("the relay mixes bundles of another plan than the collector's. Nothing was sent.");
        }
        return answer;
    }

    /** Seal the reports of all services, in the plan's order: the body without the id by which the relay knows the plan. */
    private String bundle(List<Report> reports, long epoch) {
        Plan plan = client.plan;
        List<String> group = new ArrayList<>();
        for (String name : plan.mix.by) {
            Object value = null;
            for (Report each : reports) if (each.shown.containsKey(name)) value = each.shown.get(name);
            if (value != null && (!(value instanceof String) || ((String) value).getBytes(java.nio.charset.StandardCharsets.UTF_8).length > Wire.LONGEST_TEXT)) {
                throw new UntoldException.BadRecord("public column '" + name + "' is in mix.by: a text of at most " + Wire.LONGEST_TEXT + " bytes is needed there, or nothing.");
            }
            group.add((String) value);
        }
        if (reports.stream().anyMatch(each -> each.insecure)) throw new UntoldException.BadRecord("reports that were drawn with a seed protect nobody, and are not sent.");
        byte[] sealed = Hpke.seal(Wire.messages(plan.services, reports), plan.mix.key, Hpke.info(plan.id, epoch, Wire.group(group)));
        Map<String, Object> columns = new LinkedHashMap<>();
        for (int i = 0; PIECE * i < sealed.length; i++) {
            columns.put("sealed_" + i, Base64.getEncoder().encodeToString(Arrays.copyOfRange(sealed, PIECE * i, Math.min(sealed.length, PIECE * (i + 1)))));
        }
        for (int i = 0; i < group.size(); i++) if (group.get(i) != null) columns.put("by_" + i, group.get(i));
        Map<String, Object> report = new LinkedHashMap<>();
        report.put("service", "bundles");
        report.put("user", client.user);
        report.put("epoch", epoch);
        report.put("slots", List.of(List.of(0)));
        report.put("public", columns);
        Map<String, Object> kept = new LinkedHashMap<>();
        kept.put("plan", plan.id);
        kept.put("reports", List.of(report));
        return Json.write(kept);
    }

    /** How many people were first promised in a batch; refused is a plan that promises fewer, or none. */
    private static String checkMix(Plan plan, Settings settings, String before) {
        Long least = settings.people != null ? settings.people : before == null ? null : Long.valueOf(before);
        boolean mixed = settings.relay != null;
        String start = "plan '" + plan.name + "' ";
        if (plan.mix == null) {
            if (least == null && !mixed) return null;
            throw new UntoldException.UntrustedPlan(start + "does not have its reports mixed, as was promised. Nothing was reported.");
        }
        if (plan.mix.key == null) throw new UntoldException.UntrustedPlan(start + "names no key to seal reports to. Nothing was reported.");
        if (least != null && plan.mix.people < least) {
            throw new UntoldException.UntrustedPlan(start + "mixes the reports of " + plan.mix.people + " people, " + least + " were promised. Nothing was reported.");
        }
        if (!mixed) {
            throw new UntoldException.UntrustedPlan(start + "has its reports mixed by a relay; they are not sent to the collector itself.\nHint: relay(...) takes the relay's address.");
        }
        return before != null ? before : Long.toString(plan.mix.people);
    }

    private static String place(String what, Settings settings) {
        return what + " of " + settings.url;
    }

    private String relayPlace(String planId) {
        return "relay " + settings.relay + " of " + planId;
    }
}
