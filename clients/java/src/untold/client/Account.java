package untold.client;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a person has told through a memory, and what it cost: integers of nano-epsilon, paid before anything is handed out.
 *
 * All keys of a memory share one budget, unless they are said to be `several` people: a second key would else be a second lifetime.
 */
final class Account {
    private static final Pattern USER = Pattern.compile("^\"(?:[^\"\\\\]|\\\\.)*\""); // as JSON writes a text

    private final Map<String, String> items;
    private final String name;
    private final boolean several;

    Account(Map<String, String> items, String user, boolean several) {
        this.items = items;
        this.name = Json.write(user);
        this.several = several;
    }

    String get(Object... parts) {
        return items.get(key(parts));
    }

    void set(String value, Object... parts) {
        items.put(key(parts), value);
    }

    /** The least that an accepted plan or the app has promised; null if nobody has. */
    BigInteger lifetime() {
        return everybodys("lifetime").stream().reduce(BigInteger::min).orElse(null);
    }

    /** What fresh draws have cost, in all plans and epochs, here and elsewhere. */
    BigInteger spent() {
        return most("spent").add(most("before"));
    }

    /** Whoever paid last holds the sum of all that was paid, so the largest is that sum. */
    private BigInteger most(String what) {
        return everybodys(what).stream().reduce(BigInteger.ZERO, BigInteger::max);
    }

    /** An epoch has one version of a plan: the first in which this person took part. Another would be drawn beside it. */
    void takePart(String plan, long epoch, String id) {
        String known = get("version", plan, epoch);
        if (known != null && !known.equals(id)) {
            throw new UntoldException.AlreadyReported("this person took part in epoch " + epoch + " under another version of plan '" + plan
                + "'; a second draw for the same epoch would cost twice. Nothing was reported.\nHint: this version counts from the next epoch on.");
        }
        set(id, "version", plan, epoch);
    }

    /** No later plan can raise what was promised once; what was spent elsewhere is added, the most that was ever given. */
    void bind(BigInteger given, BigInteger promised, BigInteger before) {
        BigInteger least = promised;
        if (given != null) least = least.min(given);
        if (lifetime() != null) least = least.min(lifetime());
        set(least.toString(), "lifetime");
        if (before.compareTo(most("before")) > 0) set(before.toString(), "before");
    }

    /** Take the cost of a fresh draw from the lifetime, or refuse. */
    void pay(String service, BigInteger cost) {
        afford("a new report for '" + service + "'", cost);
        set(most("spent").add(cost).toString(), "spent");
    }

    void afford(String what, BigInteger cost) {
        BigInteger lifetime = lifetime();
        if (lifetime != null && spent().add(cost).compareTo(lifetime) > 0) throw over(what, cost, "lifetime budget", lifetime, spent());
    }

    /** Take what new values of a service may cost, once and before any of them: what is left for others never depends on data. */
    void setAside(String plan, String service, BigInteger whole) {
        if (get("aside", plan, service) != null) return;
        BigInteger left = least(whole);
        set(most("spent").add(left).toString(), "spent");
        set(left + " 0", "aside", plan, service);
    }

    /** Take the cost of a new value from what is set aside for the service, or refuse. */
    void payAside(String plan, String service, BigInteger cost) {
        String[] kept = get("aside", plan, service).split(" ");
        BigInteger whole = new BigInteger(kept[0]);
        BigInteger used = new BigInteger(kept[1]);
        BigInteger beyond = lifetime() == null ? BigInteger.ZERO : spent().subtract(lifetime()).max(BigInteger.ZERO);
        BigInteger left = whole.subtract(beyond);
        if (used.add(cost).compareTo(left) > 0) {
            throw over("a new value for '" + service + "'", cost, "part of the lifetime budget that is set aside for '" + service + "'", left.max(BigInteger.ZERO), used);
        }
        set(whole + " " + used.add(cost), "aside", plan, service);
    }

    /** This much, or what is left of the lifetime if that is less. */
    private BigInteger least(BigInteger amount) {
        return lifetime() == null ? amount : amount.min(lifetime().subtract(spent()).max(BigInteger.ZERO));
    }

    /** Count a report among all that leave in an epoch, new or kept, or refuse; the same one again counts once. */
    void leave(long epoch, String what, String service, BigInteger cost, BigInteger ceiling) {
        String mine = key("left", epoch, what);
        BigInteger spent = BigInteger.ZERO;
        for (Map.Entry<String, String> each : items.entrySet()) {
            String rest = behindUser(each.getKey());
            if (!each.getKey().equals(mine) && rest != null && rest.startsWith("/left/" + epoch + "/")) spent = spent.add(new BigInteger(each.getValue()));
        }
        if (!items.containsKey(mine) && ceiling != null && spent.add(cost).compareTo(ceiling) > 0) {
            throw over("a report for '" + service + "'", cost, "device's ceiling for epoch " + epoch, ceiling, spent);
        }
        items.put(mine, cost.toString());
    }

    /** What this person, or anybody in this memory, has of a number. */
    private List<BigInteger> everybodys(String what) {
        List<BigInteger> found = new ArrayList<>();
        for (Map.Entry<String, String> each : items.entrySet()) {
            if (("/" + what).equals(behindUser(each.getKey()))) found.add(new BigInteger(each.getValue()));
        }
        return found;
    }

    /** What stands behind the user in a key, if that is this person or anybody whose budget is shared; else null. */
    private String behindUser(String key) {
        if (several && !key.startsWith(name + "/")) return null;
        Matcher user = USER.matcher(key);
        return user.find() ? key.substring(user.end()) : null;
    }

    private String key(Object... parts) {
        StringBuilder out = new StringBuilder(name);
        for (Object each : parts) out.append('/').append(each);
        return out.toString();
    }

    /** What was asked, what remains, and the difference. */
    static UntoldException.BudgetExceeded over(String what, BigInteger cost, String name, BigInteger most, BigInteger spent) {
        return new UntoldException.BudgetExceeded(what + " costs epsilon " + Words.nano(cost) + "; " + Words.nano(most.subtract(spent).max(BigInteger.ZERO)) + " of the "
            + name + " of " + Words.nano(most) + " remains, " + Words.nano(cost.subtract(most).add(spent)) + " too little. Nothing was reported.");
    }
}
