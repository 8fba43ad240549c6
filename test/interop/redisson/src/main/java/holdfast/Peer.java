package holdfast;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;
import org.redisson.config.Config;

/**
 * A real Redisson that takes orders: a line "id thread order name arguments…" on standard input, an answer "id result" or
 * "id !error" on standard output. Each thread name is one Java thread, so that it owns what it locks.
 */
public final class Peer {
  private final RedissonClient redisson;
  private final Map<String, ExecutorService> threads = new ConcurrentHashMap<>();

  private Peer(RedissonClient redisson) {
    this.redisson = redisson;
  }

  public static void main(String[] arguments) throws Exception {
    Config config = new Config();
    config.setCodec(StringCodec.INSTANCE);
    config.setLockWatchdogTimeout(Long.parseLong(arguments[1]));
    if (arguments[0].contains(",")) {
      config.useClusterServers().addNodeAddress(arguments[0].split(","));
    } else {
      config.useSingleServer().setAddress(arguments[0]).setConnectionMinimumIdleSize(2);
    }
    Peer peer = new Peer(Redisson.create(config));
    say("ready");
    BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = orders.readLine(); line != null; line = orders.readLine()) {
      peer.take(line.split(" "));
    }
    System.exit(0);
  }

  private void take(String[] order) {
    ExecutorService thread = threads.computeIfAbsent(order[1], name -> Executors.newSingleThreadExecutor());
    thread.execute(() -> {
      try {
        say(order[0] + " " + carryOut(order));
      } catch (Exception error) {
        say(order[0] + " !" + error.getClass().getSimpleName());
      }
    });
  }

  private Object carryOut(String[] order) throws Exception {
    RLock lock = redisson.getLock(order[3]);
    switch (order[2]) {
      case "lock":
        if (order.length > 4) lock.lock(Long.parseLong(order[4]), TimeUnit.MILLISECONDS);
        else lock.lock();
        return true;
      case "tryLock":
        return lock.tryLock(Long.parseLong(order[4]), TimeUnit.MILLISECONDS);
      case "unlock":
        lock.unlock();
        return true;
      case "forceUnlock":
        return lock.forceUnlock();
      case "isLocked":
        return lock.isLocked();
      case "holdCount":
        return lock.getHoldCount();
      case "remaining":
        return lock.remainTimeToLive();
      case "sections":
        return sections(lock, order[4], Integer.parseInt(order[5]));
      default:
        throw new IllegalArgumentException(order[2]);
    }
  }

  /** Nested sections over a counter that nothing else guards: read, then write one more. */
  private long sections(RLock lock, String counter, int times) {
    for (int time = 0; time < times; time++) {
      lock.lock();
      try {
        lock.lock();
        try {
          String seen = redisson.<String>getBucket(counter).get();
          redisson.<String>getBucket(counter).set(Long.toString(Long.parseLong(seen) + 1));
        } finally {
          lock.unlock();
        }
      } finally {
        lock.unlock();
      }
    }
    return times;
  }

  private static synchronized void say(String line) {
    System.out.println(line);
    System.out.flush();
  }
}
