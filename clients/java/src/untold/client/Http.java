package untold.client;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/** The requests of a device, and what the answers mean (docs/wire.md). */
final class Http {
    private static final int TIMEOUT = 30_000; // ms
    private static final int LONGEST_ANSWER = 64 << 20, LONGEST_WORD = 1 << 20; // bytes
    private static final long LONGEST_WAIT = 3_600_000; // ms, whatever Retry-After says

    /** What became of a body. */
    enum Kind { STORED, REFUSED, EARLY, BUSY, FORBIDDEN }

    static final class Outcome {
        final Kind kind;
        final int status;
        final long counted, repeated, after; // after: ms to wait at least
        final String code, message;
        final Map<?, ?> answer;

        Outcome(Kind kind, int status, long counted, long repeated, long after, String code, String message, Map<?, ?> answer) {
            this.kind = kind;
            this.status = status;
            this.counted = counted;
            this.repeated = repeated;
            this.after = after;
            this.code = code;
            this.message = message;
            this.answer = answer;
        }
    }

    private Http() {}

    /** An address, ending with a slash. */
    static String root(String url) {
        return url.endsWith("/") ? url : url + "/";
    }

    /** The text of GET /plan. */
    static String askPlan(String base) {
        try {
            HttpURLConnection connection = open(base + "plan", "GET");
            int status = connection.getResponseCode();
            String text = new String(content(connection, status, LONGEST_ANSWER), StandardCharsets.UTF_8);
            if (status == 200) return text;
            throw new UntoldException.CollectorError(base + "plan answers " + status + "; a collector of untold publishes its plan there.", status);
        } catch (IOException error) {
            throw new UntoldException.CollectorError(base + "plan cannot be reached (" + error.getMessage() + "). Try again later.", 0);
        }
    }

    /** Send a body of so many reports. */
    static Outcome post(String base, String token, String type, byte[] body, int reports) {
        try {
            HttpURLConnection connection = open(base + "reports", "POST");
            connection.setRequestProperty("Content-Type", type);
            connection.setRequestProperty("Authorization", "Bearer " + token);
            connection.setDoOutput(true);
            connection.setFixedLengthStreamingMode(body.length);
            try (OutputStream out = connection.getOutputStream()) {
                out.write(body);
            }
            int status = connection.getResponseCode();
            String retry = connection.getHeaderField("Retry-After");
            long after = retry != null && retry.matches("[0-9]{1,6}") ? Math.min(Long.parseLong(retry) * 1000, LONGEST_WAIT) : 0;
            return meaning(status, after, parsed(content(connection, status, LONGEST_WORD)), reports);
        } catch (IOException error) {
            return new Outcome(Kind.BUSY, 0, 0, 0, 0, null, null, Map.of()); // no answer: it may have been counted; the same bytes are sent again
        }
    }

    private static HttpURLConnection open(String address, String method) throws IOException {
        HttpURLConnection connection = (HttpURLConnection) new URL(address).openConnection();
        connection.setRequestMethod(method);
        connection.setInstanceFollowRedirects(false);
        connection.setUseCaches(false);
        connection.setConnectTimeout(TIMEOUT);
        connection.setReadTimeout(TIMEOUT);
        return connection;
    }

    /** Read up to a bound: whoever answers in the collector's place cannot fill a device's memory. */
    private static byte[] content(HttpURLConnection connection, int status, int most) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (InputStream in = status >= 400 ? connection.getErrorStream() : connection.getInputStream()) {
            byte[] piece = new byte[1 << 16];
            for (int size; in != null && (size = in.read(piece)) >= 0; ) {
                out.write(piece, 0, size);
                if (out.size() > most) throw new IOException("an answer of more than " + most + " bytes");
            }
        }
        return out.toByteArray();
    }

    private static Map<?, ?> parsed(byte[] body) {
        try {
            Object found = Json.parse(new String(body, StandardCharsets.UTF_8));
            return found instanceof Map ? (Map<?, ?>) found : Map.of();
        } catch (IllegalArgumentException error) {
            return Map.of();
        }
    }

    /** Only an answer in the collector's own form says that reports are stored or refused; after any other one they are kept. */
    private static Outcome meaning(int status, long after, Map<?, ?> answer, int reports) {
        double counted = number(answer.get("counted"));
        double repeated = number(answer.get("repeated"));
        int refused = answer.get("refused") instanceof List ? ((List<?>) answer.get("refused")).size() : -1;
        boolean whole = counted >= 0 && repeated >= 0 && refused >= 0 && counted + repeated + refused == reports;
        String code = code(answer, whole && reports == 1 && refused == 1);
        if (status == 200 && code == null && whole) return new Outcome(Kind.STORED, status, (long) counted, (long) repeated, 0, null, null, answer);
        if (Wire.tryLater(status) || code == null || status < 400) return new Outcome(Kind.BUSY, status, 0, 0, after, null, null, answer);
        String message = answer.get("message") instanceof String ? (String) answer.get("message") : "the collector answers " + status + ", " + code;
        Kind kind = code.equals("epoch-not-open") ? Kind.EARLY : Wire.FORGET.contains(code) ? Kind.REFUSED : Kind.FORBIDDEN;
        return new Outcome(kind, status, 0, 0, 0, code, message, answer);
    }

    private static String code(Map<?, ?> answer, boolean refused) {
        if (answer.get("error") instanceof String && answer.get("message") instanceof String) return (String) answer.get("error");
        if (!refused) return null;
        Object one = ((List<?>) answer.get("refused")).get(0);
        boolean sound = one instanceof List && ((List<?>) one).size() == 2 && ((List<?>) one).get(1) instanceof String;
        return sound ? (String) ((List<?>) one).get(1) : null;
    }

    private static double number(Object value) {
        return value instanceof Double && Fields.isWhole((Double) value) ? (Double) value : -1;
    }
}
