package untold.client;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * A back end that hands over the reports of many people, with the gateway's token. The reports are made on people's devices, or by `Client`
 * with a memory for each person; a gateway draws nothing.
 */
public final class Gateway {
    private static final int MOST_REPORTS = 10_000;

    /** What became of a body. */
    public static final class Answer {
        public final long counted, repeated;
        public final List<String> refused; // "place: code", places from 0
        public final boolean later; // nobody knows: send the very same list again after a pause

        private Answer(long counted, long repeated, List<String> refused, boolean later) {
            this.counted = counted;
            this.repeated = repeated;
            this.refused = refused;
            this.later = later;
        }
    }

    private final String url, token;

    public Gateway(String url, String token) {
        this.url = Http.root(url);
        this.token = token;
    }

    /** The plan as the collector publishes it, for devices to check and follow. */
    public SignedPlan plan() {
        return SignedPlan.read(Http.askPlan(url));
    }

    /** Send 1 to 10,000 reports of one plan in one body. */
    public Answer send(Plan plan, List<Report> reports) {
        if (reports.isEmpty() || reports.size() > MOST_REPORTS) throw new UntoldException.BadRecord("a body holds 1 to " + MOST_REPORTS + " reports.");
        byte[] body = Wire.toJson(plan, reports).getBytes(StandardCharsets.UTF_8);
        Http.Outcome outcome = Http.post(url, token, Wire.JSON_TYPE, body, reports.size());
        List<String> refused = new ArrayList<>();
        if (outcome.kind == Http.Kind.BUSY || outcome.kind == Http.Kind.EARLY) return new Answer(0, 0, refused, true);
        if (outcome.kind == Http.Kind.FORBIDDEN) throw new UntoldException.CollectorError(outcome.message, outcome.status);
        if (outcome.kind == Http.Kind.REFUSED) {
            for (int i = 0; i < reports.size(); i++) refused.add(i + ": " + outcome.code);
            return new Answer(0, 0, refused, false);
        }
        for (Object each : (List<?>) outcome.answer.get("refused")) {
            List<?> pair = (List<?>) each;
            refused.add(((Double) pair.get(0)).intValue() + ": " + pair.get(1));
        }
        return new Answer(outcome.counted, outcome.repeated, refused, false);
    }
}
