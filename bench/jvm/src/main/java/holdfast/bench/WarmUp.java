package holdfast.bench;

import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;

/**
 * Compiles the code and opens the connections before anything is measured, on keys that belong to this process alone: a
 * contended round, two seconds of uncontended ones, and then the kind that is measured until the compiler has fallen quiet.
 */
final class WarmUp {
  private static final long CONTENDED_MS = 1_000;
  private static final long UNCONTENDED_MS = 2_000;
  private static final long FURTHER_ROUND_MS = 1_000;
  private static final int FURTHER_ROUNDS_AT_MOST = 20;
  private static final double QUIET_SHARE = 0.1;
  private static final long GRACE_MS = 2_000;
  private static final int LEAST_CONTENDERS = 8;
  private static final int MOST_THREADS = 64;

  private final Locks locks;
  private final Request request;
  private final EpochClock clock;
  private final String key;
  private final int threads;

  WarmUp(Locks locks, Request request, EpochClock clock) {
    this.locks = locks;
    this.request = request;
    this.clock = clock;
    this.key = request.key() + ":warm:" + ProcessHandle.current().pid();
    this.threads = Math.min(MOST_THREADS, request.threads());
  }

  void run() throws InterruptedException {
    contended(CONTENDED_MS);
    uncontended(UNCONTENDED_MS);
    for (int further = 0; further < FURTHER_ROUNDS_AT_MOST; further++) {
      long compiledMs = compilationMs();
      if (request.scenario().contended()) {
        contended(FURTHER_ROUND_MS);
      } else {
        uncontended(FURTHER_ROUND_MS);
      }
      if (compilationMs() - compiledMs < QUIET_SHARE * FURTHER_ROUND_MS) {
        return;
      }
    }
  }

  private void contended(long durationMs) throws InterruptedException {
    round(Scenario.LOOP, key + ":contended", Math.max(LEAST_CONTENDERS, threads), durationMs);
  }

  private void uncontended(long durationMs) throws InterruptedException {
    round(request.scenario().single() ? request.scenario() : Scenario.KEYS, key, threads, durationMs);
  }

  private void round(Scenario scenario, String warmKey, int warmThreads, long durationMs) throws InterruptedException {
    Request warm = request.with(scenario, warmKey, warmThreads, 0, durationMs);
    new Round(locks, warm, clock, new SectionLog(request.recordAtMost())).run(clock.now(), GRACE_MS);
  }

  private static long compilationMs() {
    CompilationMXBean compiler = ManagementFactory.getCompilationMXBean();
    return compiler == null || !compiler.isCompilationTimeMonitoringSupported() ? 0 : compiler.getTotalCompilationTime();
  }
}
