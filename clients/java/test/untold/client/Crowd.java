package untold.client;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A back end with a gateway's token: java ... untold.client.Crowd COLLECTOR TOKEN PEOPLE. Sends twice; the second time all are repeated. */
public final class Crowd {
    private Crowd() {}

    public static void main(String[] arguments) {
        Gateway gateway = new Gateway(arguments[0], arguments[1]);
        SignedPlan signed = gateway.plan();
        Plan plan = signed.open(signed.key, null);
        List<Report> reports = new ArrayList<>();
        for (int i = 0; i < Integer.parseInt(arguments[2]); i++) {
            Client client = new Client(plan, "g-" + i, new Client.Options());
            reports.add(client.report("people", Map.of("age", (double) (1 + i % 8)), signed.open[0]));
        }
        for (int i = 0; i < 2; i++) {
            Gateway.Answer answer = gateway.send(plan, reports);
            System.out.println(answer.counted + " " + answer.repeated + " " + answer.refused.size() + " " + answer.later);
        }
    }
}
