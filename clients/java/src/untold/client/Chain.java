package untold.client;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;

/** Keys that follow one another: each has named the hash of its successor before that one was known. The twin of untold/wire/chain.py. */
final class Chain {
    private static final byte[] WORD = "untold successor 1".getBytes(StandardCharsets.US_ASCII);
    private static final int LONGEST = 256; // links

    /** What a key says of its successor. */
    static final class Link {
        final String key, next, signature; // hex; next: SHA-256 of the raw public key that may follow

        Link(Fields link) {
            key = link.text("key").toLowerCase(Locale.ROOT);
            next = link.text("next").toLowerCase(Locale.ROOT);
            signature = link.text("signature");
        }

        boolean holds() {
            byte[] raw = Words.unhex(key, 32), hashed = Words.unhex(next, 32), proof = Words.unhex(signature, 64);
            if (raw == null || hashed == null || proof == null) return false;
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            for (byte[] part : new byte[][] {WORD, raw, hashed}) all.write(part, 0, part.length);
            return Ed25519.verify(raw, all.toByteArray(), proof);
        }

        boolean leadsTo(String other) {
            byte[] raw = Words.unhex(other, 32);
            return raw != null && Words.hex(Words.digest("SHA-256", raw)).equals(next);
        }
    }

    /** The key that is trusted now, and the hash of its successor (null: none is known). */
    static final class Reached {
        final String key, next;

        Reached(String key, String next) {
            this.key = key;
            this.next = next;
        }
    }

    private Chain() {}

    /** Where who trusts a key comes to by the links of a collector. Without a link of that key it stays what it was. */
    static Reached reach(List<Link> chain, String trusted, String named, String signer) {
        List<String> keys = new ArrayList<>();
        for (Link each : chain) keys.add(each.key);
        int at = keys.indexOf(trusted.toLowerCase(Locale.ROOT));
        if (at < 0) return new Reached(trusted, named);
        if (new HashSet<>(keys).size() < keys.size() || keys.size() > LONGEST || !keys.get(keys.size() - 1).equalsIgnoreCase(signer)) {
            throw broken("it does not end with the key that signed the plan");
        }
        if (named != null && !chain.get(at).next.equalsIgnoreCase(named)) throw broken("the key that this device trusts has named two successors. One of them is a thief's");
        for (int i = at; i < chain.size(); i++) {
            Link link = chain.get(i);
            if ((i + 1 < chain.size() && !link.leadsTo(keys.get(i + 1))) || !link.holds()) {
                throw broken("key " + link.key.substring(0, Math.min(12, link.key.length())) + "... has not named the one after it");
            }
        }
        Link last = chain.get(chain.size() - 1);
        return new Reached(last.key, last.next);
    }

    private static UntoldException broken(String why) {
        return new UntoldException.UntrustedPlan("the collector's chain of keys does not hold: " + why + ". Nothing was reported.\nHint: tell the operator of the collector.");
    }
}
