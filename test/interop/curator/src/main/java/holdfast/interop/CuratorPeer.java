package holdfast.interop;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.locks.InterProcessLock;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.recipes.locks.InterProcessReadWriteLock;
import org.apache.curator.retry.RetryForever;

/** A user of Curator's locks. Arguments: connect string, session in ms, `mutex`, `read` or `write`, path. Obeys lines of its input, and answers each. */
public final class CuratorPeer {
    private CuratorPeer() {}

    public static void main(String[] args) throws Exception {
        try (CuratorFramework client =
                CuratorFrameworkFactory.newClient(args[0], Integer.parseInt(args[1]), 5_000, new RetryForever(50))) {
            client.start();
            client.blockUntilConnected();
            InterProcessLock lock = lockOf(client, args[2], args[3]);
            say("ready");
            BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
            for (String line = input.readLine(); line != null; line = input.readLine()) {
                String[] words = line.split(" ");
                switch (words[0]) {
                    case "acquire" -> lock.acquire();
                    case "release" -> lock.release();
                    case "count" -> count(lock, Integer.parseInt(words[1]), Path.of(words[2]));
                    default -> throw new IllegalArgumentException(line);
                }
                say(words[0]);
            }
        }
    }

    private static InterProcessLock lockOf(CuratorFramework client, String kind, String path) {
        return switch (kind) {
            case "mutex" -> new InterProcessMutex(client, path);
            case "read" -> new InterProcessReadWriteLock(client, path).readLock();
            case "write" -> new InterProcessReadWriteLock(client, path).writeLock();
            default -> throw new IllegalArgumentException(kind);
        };
    }

    /** Adds one to the number in that file, so often, with nothing but the lock to guard it. */
    private static void count(InterProcessLock lock, int sections, Path file) throws Exception {
        for (int section = 0; section < sections; section += 1) {
            lock.acquire();
            try {
                int number = Integer.parseInt(Files.readString(file));
                Thread.sleep(1);
                Files.writeString(file, String.valueOf(number + 1));
            } finally {
                lock.release();
            }
        }
    }

    private static void say(String word) {
        System.out.println(word);
        System.out.flush();
    }
}
