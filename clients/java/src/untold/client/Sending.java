package untold.client;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/** Bodies that wait in a memory, exactly the bytes that will be sent, and sending them. */
public final class Sending {
    private static final long FIRST = 1_000, LONGEST = 3_600_000; // ms
    private static final long GRAIN = 1 << 20;

    /** What became of the reports that waited. */
    public static final class Sent {
        public int counted; // stored now
        public int repeated; // had been stored before
        public int waiting; // still in the memory
        public final List<String> refused = new ArrayList<>(); // "code: message"; will never be stored, and were forgotten
    }

    private Sending() {}

    static void enqueue(Map<String, String> items, String to, String user, List<Object> place, String body) {
        items.put(prefix(to, user) + Json.write(place), body);
    }

    /** Send everything that waits. It leaves the memory when it is on disk at the other end, or will never be taken. */
    static Sent sendAll(Memory memory, String to, String user, String token, long patience, UnaryOperator<String> bodyOf) {
        long deadline = System.currentTimeMillis() + patience;
        Sent sent = new Sent();
        for (Map.Entry<String, String> each : queued(memory, to, user).entrySet()) {
            Http.Outcome outcome = deliver(to, token, bodyOf.apply(each.getValue()), deadline);
            if (outcome.kind == Http.Kind.STORED) {
                sent.counted += outcome.counted;
                sent.repeated += outcome.repeated;
            }
            if (outcome.kind == Http.Kind.REFUSED) sent.refused.add(outcome.code + ": " + outcome.message);
            // unless another one took its place meanwhile
            if (outcome.kind == Http.Kind.STORED || outcome.kind == Http.Kind.REFUSED) memory.exclusive(items -> items.remove(each.getKey(), each.getValue()));
            if (outcome.kind == Http.Kind.FORBIDDEN) throw new UntoldException.CollectorError(outcome.message, outcome.status);
            if (outcome.kind == Http.Kind.BUSY) break; // the other end is away: the others wait as well
        }
        sent.waiting = queued(memory, to, user).size();
        return sent;
    }

    static Map<String, String> queued(Memory memory, String to, String user) {
        return memory.exclusive(items -> {
            Map<String, String> found = new LinkedHashMap<>();
            items.forEach((key, value) -> {
                if (key.startsWith(prefix(to, user))) found.put(key, value);
            });
            return found;
        });
    }

    private static Http.Outcome deliver(String to, String token, String body, long deadline) {
        for (int attempt = 0; ; attempt++) {
            Http.Outcome outcome = Http.post(to, token, Wire.JSON_TYPE, body.getBytes(StandardCharsets.UTF_8), 1);
            if (outcome.kind != Http.Kind.BUSY) return outcome;
            long wait = Math.max(backoff(attempt), outcome.after);
            if (System.currentTimeMillis() + wait > deadline) return outcome;
            try {
                Thread.sleep(wait);
            } catch (InterruptedException stop) {
                Thread.currentThread().interrupt();
                return outcome;
            }
        }
    }

    /** Doubles from a second to an hour, drawn uniformly between half of it and all of it. */
    static long backoff(int attempt) {
        long whole = attempt > 12 ? LONGEST : Math.min(FIRST << attempt, LONGEST);
        return whole / 2 + whole / 2 * Randomness.secure().below(GRAIN) / GRAIN;
    }

    private static String prefix(String to, String user) {
        return Json.write(user) + "/queue/" + to + "/";
    }
}
