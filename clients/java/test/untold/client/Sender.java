package untold.client;

import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.List;
import java.util.Map;

/**
 * Several devices, each with a memory of its own: java ... untold.client.Sender COLLECTOR RELAY-OR-- FOLDER USER TOKEN USER TOKEN ...
 *
 * Everybody reports twice, with other values the second time and from another start of the program: the same bytes again.
 */
public final class Sender {
    private Sender() {}

    public static void main(String[] arguments) {
        int counted = 0;
        int repeated = 0;
        int others = 0;
        for (int i = 3; i < arguments.length; i += 2) {
            Path memory = Paths.get(arguments[2], arguments[i] + ".json");
            for (int again = 0; again < 2; again++) {
                Device.Settings settings = new Device.Settings(arguments[0], arguments[i], arguments[i + 1]).memory(new FileMemory(memory));
                Map<String, Object> person = Map.of("age", 1 + (i + again) % 8, "os", i % 4 == 1 ? "ios" : "linux");
                Sending.Sent sent;
                if (arguments[1].equals("-")) {
                    Device device = Device.connect(settings);
                    device.report("people", person, device.epoch());
                    sent = device.send(60_000);
                } else {
                    Device device = Device.connect(settings.relay(arguments[1]));
                    device.reportAll(Map.of("people", List.of(person), "orders", List.of(Map.of("kind", "a"))), device.openEpochs()[0]);
                    sent = device.send(60_000);
                }
                counted += sent.counted;
                repeated += sent.repeated;
                others += sent.waiting + sent.refused.size();
            }
        }
        System.out.println(counted + " " + repeated + " " + others);
    }
}
