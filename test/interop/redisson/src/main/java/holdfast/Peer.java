package holdfast;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;
import org.redisson.config.ReadMode;

/**
 * A real Redisson that takes orders: a line "id thread kind.order name arguments…" on standard input, an answer "id result" or
 * "id !exception" on standard output. Each thread name is one Java thread, so that it owns what it locks. It ends with its
 * standard input.
 */
public final class Peer {
  private final Map<String, Orders> kinds;
  private final Map<String, ExecutorService> threads = new ConcurrentHashMap<>();

  private Peer(RedissonClient redisson) {
    kinds = Map.of(
        "lock", new LockOrders(redisson),
        "fenced", new FencedLockOrders(redisson),
        "semaphore", new SemaphoreOrders(redisson),
        "permits", new PermitOrders(redisson),
        "latch", new LatchOrders(redisson));
  }

  public static void main(String[] arguments) throws Exception {
    Peer peer = new Peer(Redisson.create(config(arguments[0].split(","), Long.parseLong(arguments[1]))));
    say("ready " + Redisson.class.getPackage().getImplementationVersion());
    BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = orders.readLine(); line != null; line = orders.readLine()) {
      peer.take(line.split(" "));
    }
    // Not System.exit: what it holds is to stay held, as after a crash, if Node has gone.
    Runtime.getRuntime().halt(0);
  }

  /** With the codec Redisson has of itself: what is in locks does not depend on it. */
  private static Config config(String[] addresses, long watchdogMs) {
    Config config = new Config().setThreads(4).setNettyThreads(4);
    config.setLockWatchdogTimeout(watchdogMs);
    // Other tests have the same server forget its scripts. Redisson loads a script again once, and then gives up.
    config.setUseScriptCache(false);
    if (addresses.length > 1) {
      config.useClusterServers().addNodeAddress(addresses).setReadMode(ReadMode.MASTER)
          .setMasterConnectionMinimumIdleSize(2).setSlaveConnectionMinimumIdleSize(1);
    } else {
      config.useSingleServer().setAddress(addresses[0]).setConnectionMinimumIdleSize(2);
    }
    return config;
  }

  private void take(String[] words) {
    ExecutorService thread = threads.computeIfAbsent(words[1], name -> Executors.newSingleThreadExecutor());
    thread.execute(() -> {
      try {
        say(words[0] + " " + carryOut(words));
      } catch (Exception error) {
        say(words[0] + " !" + error.getClass().getSimpleName());
      }
    });
  }

  private Object carryOut(String[] words) throws Exception {
    String[] order = words[2].split("\\.");
    return kinds.get(order[0]).carryOut(order[1], words[3], Arrays.copyOfRange(words, 4, words.length));
  }

  private static synchronized void say(String line) {
    System.out.println(line);
    System.out.flush();
  }
}
