package holdfast.bench;

import java.util.List;
import java.util.concurrent.locks.Lock;

/** What the harness asks of this process: the JSON of the driver protocol, field for field. */
record Request(
    String library,
    String host,
    int port,
    List<String> servers,
    Scenario scenario,
    String key,
    int waiters,
    int sectionMs,
    int depth,
    long durationMs,
    long giveUpMs,
    int firstWaiter,
    String recordFile,
    int recordAtMost) {

  private static final String PLAIN = "redisson";
  private static final String FAIR = "redisson-fair";
  private static final String CURATOR = "curator";

  boolean libraryKnown() {
    return PLAIN.equals(library) || FAIR.equals(library) || CURATOR.equals(library);
  }

  /** The library, connected. */
  Locks locks() throws InterruptedException {
    if (!CURATOR.equals(library)) {
      return new RedissonLocks(host, port, FAIR.equals(library));
    }
    return new CuratorLocks(servers == null ? List.of(host + ":" + port) : servers);
  }

  /** The same request as another scenario, on a key of its own. */
  Request with(Scenario otherScenario, String otherKey, int otherWaiters, int otherSectionMs, long otherDurationMs) {
    return new Request(
        library,
        host,
        port,
        servers,
        otherScenario,
        otherKey,
        otherWaiters,
        otherSectionMs,
        depth,
        otherDurationMs,
        giveUpMs,
        firstWaiter,
        recordFile,
        recordAtMost);
  }

  /** How many threads take part. */
  int threads() {
    return scenario.single() ? 1 : waiters;
  }

  /** How often one cycle takes the lock. */
  int holds() {
    return scenario == Scenario.NESTED ? depth : 1;
  }

  /** How long the round goes on before it is stopped. */
  long roundMs() {
    return scenario == Scenario.BURST ? giveUpMs : durationMs;
  }

  /** The lock of one waiter: its own in "keys", the common one otherwise. */
  Lock lockOf(Locks locks, int waiter) {
    String name = scenario == Scenario.KEYS ? key + ":" + waiter : key;
    return locks.of(name);
  }

  /** What a section lasts; the uncontended scenarios measure the lock alone. */
  int sectionMsInForce() {
    return scenario.contended() ? sectionMs : 0;
  }
}
