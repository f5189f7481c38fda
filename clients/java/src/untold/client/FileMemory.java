package untold.client;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;

/**
 * A memory in a file for its owner alone. A change is written beside it, forced to the disk and put in its place: old or new, never half.
 * The lock is the operating system's: it ends with the process that holds it.
 */
public final class FileMemory implements Memory {
    private static final Map<Path, ReentrantLock> TURNS = new ConcurrentHashMap<>();

    private final Path path;

    /** The file; links and relative paths are followed now, so that neither begins a second ledger. */
    public FileMemory(Path path) {
        this.path = real(path.toAbsolutePath().normalize());
    }

    private static Path real(Path path) {
        try {
            return path.toRealPath();
        } catch (IOException absent) {
            try {
                if (Files.isSymbolicLink(path)) return real(path.getParent().resolve(Files.readSymbolicLink(path)).normalize());
            } catch (IOException error) {
                throw new UntoldException.StoreError(path + " cannot be read. Nothing was reported.");
            }
            return path.getParent() == null ? path : real(path.getParent()).resolve(path.getFileName());
        }
    }

    @Override
    public <Result> Result exclusive(Function<Map<String, String>, Result> work) {
        ReentrantLock turn = TURNS.computeIfAbsent(path, each -> new ReentrantLock());
        turn.lock();
        try {
            Files.createDirectories(path.getParent());
            Path lock = path.resolveSibling("." + path.getFileName() + ".lock");
            try (FileChannel channel = FileChannel.open(lock, StandardOpenOption.CREATE, StandardOpenOption.WRITE); FileLock held = channel.lock()) {
                Map<String, String> before = read();
                Map<String, String> draft = new LinkedHashMap<>(before);
                Result result = work.apply(draft);
                if (held.isValid() && !draft.equals(before)) write(draft);
                return result;
            }
        } catch (IOException error) {
            throw new UntoldException.StoreError(path + " cannot be read or written (" + error.getMessage() + "). Nothing was reported.");
        } finally {
            turn.unlock();
        }
    }

    private Map<String, String> read() throws IOException {
        String text;
        try {
            text = new String(Files.readAllBytes(path), StandardCharsets.UTF_8);
        } catch (NoSuchFileException absent) {
            return new LinkedHashMap<>();
        }
        int end = text.indexOf('\n');
        if (end != 64 || !text.substring(0, 64).equals(Words.sha256(text.substring(65)))) throw damaged();
        Map<String, String> found = new LinkedHashMap<>();
        ((Map<?, ?>) Json.parse(text.substring(65))).forEach((key, value) -> found.put((String) key, (String) value));
        return found;
    }

    private void write(Map<String, String> all) throws IOException {
        String body = Json.write(all);
        Path aside = path.resolveSibling("." + path.getFileName() + "." + UUID.randomUUID());
        boolean posix = path.getFileSystem().supportedFileAttributeViews().contains("posix");
        try {
            if (posix) Files.createFile(aside, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            try (FileChannel channel = FileChannel.open(aside, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
                ByteBuffer bytes = ByteBuffer.wrap((Words.sha256(body) + "\n" + body).getBytes(StandardCharsets.UTF_8));
                while (bytes.hasRemaining()) channel.write(bytes);
                channel.force(true);
            }
            Files.move(aside, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(aside);
        }
        if (posix) {
            try (FileChannel folder = FileChannel.open(path.getParent(), StandardOpenOption.READ)) {
                folder.force(true);
            }
        }
    }

    private UntoldException damaged() {
        return new UntoldException.StoreError(path + " is damaged. It held what this device has told and what that cost; both are lost. Nothing was reported. "
            + "Do not start anew and do not restore an older copy: either forgets what was spent since, and the same values would be drawn again. "
            + "Report nothing more for these people, or begin a new memory with spentBefore(<the lifetime>).");
    }
}
