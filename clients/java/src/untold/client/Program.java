package untold.client;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The client as a program that `untold audit` and `untold conformance` can run (docs/audit.md): java -jar untold-client.jar */
public final class Program {
    private Program() {}

    /** Draws given words in order. */
    private static final class Replayed extends Randomness {
        private final Deque<Long> left = new ArrayDeque<>();

        Replayed(List<?> words) {
            for (Object each : words) left.add(Long.parseUnsignedLong((String) each));
        }

        @Override
        public long word() {
            if (left.isEmpty()) throw new IllegalStateException("more words were drawn than there are");
            return left.remove();
        }
    }

    public static void main(String[] arguments) throws IOException {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        PrintStream out = new PrintStream(System.out, false, "UTF-8");
        Map<?, ?> first = (Map<?, ?>) Json.parse(lines.readLine());
        Plan plan = null;
        String refused = null;
        try {
            plan = Plan.fromJson((String) first.get("plan"));
        } catch (UntoldException error) {
            refused = error.getMessage();
        }
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            Object answer = refused == null ? answer(plan, (Map<?, ?>) Json.parse(line)) : Map.of("refused", refused);
            out.print(Json.write(answer) + "\n");
            out.flush();
        }
    }

    private static Object answer(Plan plan, Map<?, ?> person) {
        Client.Options options = new Client.Options();
        if (person.get("words") instanceof List) options.randomness(new Replayed((List<?>) person.get("words")));
        Client client = new Client(plan, (String) person.get("user"), options);
        List<Object> told = new ArrayList<>();
        for (Object each : (List<?>) person.get("steps")) told.add(reply(client, (Map<?, ?>) each));
        return told;
    }

    private static Object reply(Client client, Map<?, ?> step) {
        List<Map<String, Object>> rows = new ArrayList<>();
        for (Object row : (List<?>) step.get("rows")) {
            Map<String, Object> values = new LinkedHashMap<>();
            ((Map<?, ?>) row).forEach((name, value) -> values.put((String) name, value));
            rows.add(values);
        }
        try {
            Report report = client.report((String) step.get("service"), rows, ((Double) step.get("epoch")).longValue());
            return report == null ? null : report.json(client.plan);
        } catch (UntoldException.BudgetExceeded error) {
            return null;
        }
    }
}
