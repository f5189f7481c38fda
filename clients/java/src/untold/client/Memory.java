package untold.client;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;

/**
 * What a device remembers: the reports that it has made, what they have cost, and those that still have to be sent. Pairs of strings.
 *
 * An app that keeps them in its account's storage makes all devices of a person share one ledger: implement `exclusive`.
 */
public interface Memory {
    /**
     * Work on the pairs while nobody else does: no thread, no process. What the work has changed is durable, all of it, before its result
     * is handed out; if the work throws, nothing has changed.
     */
    <Result> Result exclusive(Function<Map<String, String>, Result> work);

    /** A memory that lasts as long as the program. */
    static Memory transientMemory() {
        return new Memory() {
            private Map<String, String> all = new LinkedHashMap<>();

            @Override
            public synchronized <Result> Result exclusive(Function<Map<String, String>, Result> work) {
                Map<String, String> draft = new LinkedHashMap<>(all);
                Result result = work.apply(draft);
                all = draft;
                return result;
            }
        };
    }
}
