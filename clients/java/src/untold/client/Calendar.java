package untold.client;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Date;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Kinds `date` and `timestamp`: days and times, rounded down to a step of the calendar. An instant is read in UTC; a text as it is. */
final class Calendar extends Attribute implements Clipped.Clippable {
    private static final List<String> STEPS = List.of("second", "minute", "hour", "day", "week", "month", "quarter", "year");
    private static final Pattern ISO = Pattern.compile("([0-9]{4})-([0-9]{2})-([0-9]{2})(?:[ T]([01][0-9]|2[0-3]):([0-5][0-9])"
        + "(?::([0-5][0-9])(?:\\.[0-9]{1,9})?)?(Z|[+-](?:[01][0-9]|2[0-3]):?[0-5][0-9])?)?");
    private static final long DAY = 86_400, FIRST = -62_135_596_800L, LAST = 253_402_300_799L; // seconds of the years 1 to 9999

    private final String kind, low, high, step;
    private final long first;
    private final int size;

    private Calendar(String kind, String name, String low, String high, String step, long first, int size) {
        super(name, Role.SENSITIVE);
        this.kind = kind;
        this.low = low;
        this.high = high;
        this.step = step;
        this.first = first;
        this.size = size;
    }

    static Calendar read(String kind, String name, Fields declared) {
        String low = declared.text("low");
        String high = declared.text("high");
        String step = declared.text("step");
        if (STEPS.indexOf(step) < (kind.equals("date") ? 3 : 0)) throw declared.fail("'" + step + "' is not a known step; update untold-client");
        Long from = secondsOf(low);
        Long to = secondsOf(high);
        if (from == null || to == null) throw declared.fail("'low' and 'high' must be a " + kind);
        long first = numberOf(step, from);
        long last = numberOf(step, to);
        if (first >= last || last - first >= MAX_DOMAIN) throw declared.fail("'low' must be before 'high', at most " + MAX_DOMAIN + " steps");
        return new Calendar(kind, name, low, high, step, first, (int) (last - first) + 1);
    }

    private static Long secondsOf(Object value) {
        Long found = null;
        if (value instanceof String) found = fromText((String) value);
        else if (value instanceof LocalDate) found = ((LocalDate) value).toEpochDay() * DAY;
        else if (value instanceof LocalDateTime) found = ((LocalDateTime) value).toEpochSecond(ZoneOffset.UTC);
        else if (value instanceof Instant) found = ((Instant) value).getEpochSecond();
        else if (value instanceof OffsetDateTime) found = ((OffsetDateTime) value).toEpochSecond();
        else if (value instanceof Date) found = Math.floorDiv(((Date) value).getTime(), 1000L);
        return found != null && found >= FIRST && found <= LAST ? found : null;
    }

    private static Long fromText(String text) {
        Matcher found = ISO.matcher(text);
        if (!found.matches()) return null;
        int[] parts = new int[6];
        for (int i = 0; i < 6; i++) parts[i] = found.group(i + 1) == null ? 0 : Integer.parseInt(found.group(i + 1));
        try {
            if (parts[0] < 1) return null;
            long day = LocalDate.of(parts[0], parts[1], parts[2]).toEpochDay();
            return day * DAY + parts[3] * 3600L + parts[4] * 60L + parts[5] - offsetOf(found.group(7));
        } catch (DateTimeException wrong) {
            return null;
        }
    }

    private static long offsetOf(String zone) {
        if (zone == null || zone.equals("Z")) return 0;
        String digits = zone.replace(":", "");
        long ahead = Long.parseLong(digits.substring(1, 3)) * 3600 + Long.parseLong(digits.substring(3)) * 60;
        return digits.startsWith("-") ? -ahead : ahead;
    }

    private static long numberOf(String step, long seconds) {
        long day = Math.floorDiv(seconds, DAY);
        LocalDate date = LocalDate.ofEpochDay(day);
        long month = date.getYear() * 12L + date.getMonthValue() - 1;
        switch (step) {
            case "second":
                return seconds;
            case "minute":
                return Math.floorDiv(seconds, 60L);
            case "hour":
                return Math.floorDiv(seconds, 3600L);
            case "day":
                return day;
            case "week": // from Monday
                return Math.floorDiv(day + 3, 7L);
            case "month":
                return month;
            case "quarter":
                return Math.floorDiv(month, 3L);
            default:
                return Math.floorDiv(month, 12L);
        }
    }

    @Override
    int size() {
        return size;
    }

    @Override
    Position position(Object value) {
        Long seconds = secondsOf(value);
        String said = name + " = " + Words.show(value);
        if (seconds == null) {
            String example = kind.equals("date") ? "2026-01-31" : "2026-01-31T12:00:00";
            throw new UntoldException.BadRecord(said + " is not a " + kind + "; allowed are " + describe() + ". Write it like " + example + ".");
        }
        long code = numberOf(step, seconds) - first;
        if (code < 0 || code >= size) throw notInPlan(said, this);
        return new Position((int) code, 0);
    }

    /** By its step; what is no time is below. */
    @Override
    public Clipped.Aside aside(Object value) {
        Long seconds = secondsOf(value);
        return seconds != null && numberOf(step, seconds) >= first ? Clipped.Aside.ABOVE : Clipped.Aside.BELOW;
    }

    @Override
    public String describe() {
        return step + "s " + low.replace("T", " ") + ".." + high.replace("T", " ");
    }
}
