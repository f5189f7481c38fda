package untold.client;

import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.interfaces.XECPublicKey;
import java.security.spec.NamedParameterSpec;
import java.security.spec.XECPublicKeySpec;
import java.util.Arrays;
import java.util.List;
import javax.crypto.Cipher;
import javax.crypto.KeyAgreement;
import javax.crypto.Mac;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/** Sealed bundles: HPKE (RFC 9180, base mode) with X25519, HKDF-SHA256 and AES-128-GCM, of the JDK's own primitives. */
final class Hpke {
    private static final byte[] VERSION = text("HPKE-v1");
    private static final byte[] KEM = join(text("KEM"), new byte[] {0, 0x20});
    private static final byte[] SUITE = join(text("HPKE"), new byte[] {0, 0x20, 0, 1, 0, 1});
    private static final byte[] NOTHING = {};

    private static final BigInteger PRIME = BigInteger.TWO.pow(255).subtract(BigInteger.valueOf(19));
    // the u coordinates of all points of Curve25519 and its twist whose order divides 8
    private static final List<BigInteger> LOW_ORDER = List.of(BigInteger.ZERO, BigInteger.ONE, PRIME.subtract(BigInteger.ONE),
        new BigInteger("325606250916557431795983626356110631294008115727848805560023387167927233504"),
        new BigInteger("39382357235489614581723060781553021112529911719440698176882885853963445705823"));

    private Hpke() {}

    /** Whether a public key has low order: what is shared with it is 0, whatever the private key. */
    static boolean opensForAnybody(String key) {
        return LOW_ORDER.contains(unsigned(Words.unhex(key, 32)).mod(PRIME));
    }

    /** What a bundle is bound to: it opens for this plan, epoch and group alone. */
    static byte[] info(String planId, long epoch, byte[] group) {
        byte[] number = {(byte) epoch, (byte) (epoch >>> 8), (byte) (epoch >>> 16), (byte) (epoch >>> 24)};
        return join(text("untold bundle 1"), Words.unhex(planId, 32), number, group);
    }

    /** Bytes that only the holder of the private key opens. Sealing the same again gives other bytes: keep what was sealed. */
    static byte[] seal(byte[] plain, String key, byte[] info) {
        try {
            return seal(plain, key, info, KeyPairGenerator.getInstance("X25519").generateKeyPair());
        } catch (GeneralSecurityException error) {
            throw new UntoldException("bundles cannot be sealed here: X25519 and AES-GCM are needed (Java 11, Android 33 or newer). Nothing was reported.");
        }
    }

    static byte[] seal(byte[] plain, String key, byte[] info, KeyPair own) throws GeneralSecurityException {
        byte[] receiver = Words.unhex(key, 32);
        byte[] sent = little(((XECPublicKey) own.getPublic()).getU());
        KeyAgreement agreement = KeyAgreement.getInstance("X25519");
        agreement.init(own.getPrivate());
        agreement.doPhase(KeyFactory.getInstance("X25519").generatePublic(new XECPublicKeySpec(NamedParameterSpec.X25519, unsigned(receiver))), true);
        byte[] shared = expand(KEM, extract(KEM, NOTHING, "eae_prk", agreement.generateSecret()), "shared_secret", join(sent, receiver), 32);
        byte[] about = join(new byte[] {0}, extract(SUITE, NOTHING, "psk_id_hash", NOTHING), extract(SUITE, NOTHING, "info_hash", info));
        byte[] secret = extract(SUITE, shared, "secret", NOTHING);
        Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
        cipher.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(expand(SUITE, secret, "key", about, 16), "AES"), new GCMParameterSpec(128, expand(SUITE, secret, "base_nonce", about, 12)));
        return join(sent, cipher.doFinal(plain));
    }

    private static byte[] extract(byte[] suite, byte[] salt, String label, byte[] input) throws GeneralSecurityException {
        return hmac(salt.length > 0 ? salt : new byte[32], join(VERSION, suite, text(label), input));
    }

    private static byte[] expand(byte[] suite, byte[] key, String label, byte[] about, int size) throws GeneralSecurityException {
        byte[] labelled = join(new byte[] {(byte) (size >> 8), (byte) size}, VERSION, suite, text(label), about, new byte[] {1});
        return Arrays.copyOf(hmac(key, labelled), size);
    }

    private static byte[] hmac(byte[] key, byte[] data) throws GeneralSecurityException {
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(key, "HmacSHA256"));
        return mac.doFinal(data);
    }

    /** A coordinate as 32 bytes, the lowest first. */
    private static byte[] little(BigInteger u) {
        byte[] out = new byte[32];
        for (int i = 0; i < 32; i++) out[i] = u.shiftRight(8 * i).byteValue();
        return out;
    }

    private static BigInteger unsigned(byte[] little) {
        byte[] big = new byte[33];
        for (int i = 0; i < 32; i++) big[32 - i] = little[i];
        big[1] &= 0x7f; // RFC 7748: the highest bit does not count
        return new BigInteger(big);
    }

    private static byte[] text(String value) {
        return value.getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] join(byte[]... parts) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (byte[] part : parts) out.write(part, 0, part.length);
        return out.toByteArray();
    }
}
