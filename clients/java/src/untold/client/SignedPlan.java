package untold.client;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What a collector publishes at GET /plan. Only the text is signed; nothing about privacy depends on the rest. */
public final class SignedPlan {
    private static final List<String> KEYS = List.of("text", "integer"), TYPES = List.of("text", "integer", "number", "boolean");

    /** How a collector stores user keys and public columns. */
    public static final class Columns {
        public final String userKey;
        public final Map<String, Map<String, String>> open = new LinkedHashMap<>(); // of public columns, by service

        public Columns(String userKey) {
            this.userKey = userKey;
        }
    }

    public final String plan; // exactly the text that was signed
    public final String key; // 64 hex
    public final String signature; // 128 hex
    public final Columns columns;
    public final long[] open; // epochs
    final List<Chain.Link> chain = new ArrayList<>(); // of the keys that have signed, up to this one

    private SignedPlan(Fields signed) {
        Fields collector = signed.inner("collector");
        plan = signed.text("plan");
        key = signed.text("key");
        signature = signed.text("signature");
        columns = new Columns(collector.choice("user_key", KEYS));
        Fields services = collector.inner("public");
        for (String service : services.names()) {
            Map<String, String> types = new LinkedHashMap<>();
            for (String each : services.inner(service).names()) types.put(each, services.inner(service).choice(each, TYPES));
            columns.open.put(service, types);
        }
        open = collector.wholes("open", 0, Wire.LAST_EPOCH);
        if (signed.has("chain")) for (Fields each : signed.objects("chain")) chain.add(new Chain.Link(each));
    }

    /** The answer to GET /plan. */
    public static SignedPlan read(String text) {
        try {
            return new SignedPlan(Fields.of(Json.parse(text), "the collector's answer"));
        } catch (IllegalArgumentException | UntoldException.PlanError error) {
            throw new UntoldException.UntrustedPlan("the collector's answer is not a signed plan: " + error.getMessage() + "\nNothing was reported.");
        }
    }

    /** The plan, if this key signed it and it is the wanted one (null: any). */
    public Plan open(String pinned, String wanted) {
        if (!key.equalsIgnoreCase(pinned)) {
            throw new UntoldException.UntrustedPlan("the plan is signed by key " + start(key) + "..., this device trusts " + start(pinned) + "... alone. "
                + "Nothing was reported.\nHint: if the collector's key was changed on purpose, give the new one to the client.");
        }
        byte[] raw = Words.unhex(key, 32);
        byte[] proof = Words.unhex(signature, 64);
        if (raw == null || proof == null || !Ed25519.verify(raw, plan.getBytes(StandardCharsets.UTF_8), proof)) {
            throw new UntoldException.UntrustedPlan("the signature of the plan does not fit: it was changed after signing, or damaged. Nothing was reported.\n"
                + "Hint: fetch it again; if that does not help, tell the operator of the collector.");
        }
        Plan found;
        try {
            found = Plan.fromJson(plan);
        } catch (UntoldException.PlanError error) {
            throw new UntoldException.UntrustedPlan("the signed text cannot be read as a plan: " + error.getMessage() + "\nNothing was reported. Hint: update untold-client.");
        }
        if (wanted != null && !found.id.equals(wanted)) {
            throw new UntoldException.UntrustedPlan("the collector offers plan " + start(found.id) + "..., this device was given " + start(wanted) + "... Nothing was reported.\n"
                + "Hint: update the app if the plan was changed on purpose.");
        }
        return found;
    }

    private static String start(String text) {
        return text.substring(0, Math.min(12, text.length()));
    }
}
