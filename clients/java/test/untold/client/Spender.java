package untold.client;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Map;

/** Reports in one epoch after the other and prints each report, until it is killed: java ... untold.client.Spender PLAN MEMORY. */
public final class Spender {
    private Spender() {}

    public static void main(String[] arguments) throws Exception {
        Path plan = Paths.get(arguments[0]);
        Client client = new Client(Plan.fromJson(Files.readString(plan)), "u-17", new Client.Options().memory(new FileMemory(Paths.get(arguments[1]))));
        for (long epoch = 0; ; epoch++) {
            Report report = client.report("people", Map.of("age", (double) (1 + epoch % 8)), epoch);
            System.out.print(epoch + " " + Json.write(report.json(client.plan)) + "\n");
            System.out.flush();
        }
    }
}
