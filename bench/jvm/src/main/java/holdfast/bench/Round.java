package holdfast.bench;

import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/** One scenario from its start to its end. */
final class Round {
  private final Request request;
  private final EpochClock clock;
  private final SectionLog log;
  private final Complaints complaints = new Complaints();
  private final CountDownLatch start = new CountDownLatch(1);
  private final CountDownLatch running;
  private final List<Waiter> waiters;

  Round(Locks locks, Request request, EpochClock clock, SectionLog log) {
    this.request = request;
    this.clock = clock;
    this.log = log;
    this.running = new CountDownLatch(request.threads());
    Stage stage = new Stage(clock, log, complaints, start, running);
    this.waiters =
        IntStream.range(0, request.threads())
            .map(index -> request.firstWaiter() + index)
            .mapToObj(number -> new Waiter(request, number, request.lockOf(locks, number), stage))
            .toList();
    waiters.forEach(Waiter::start);
  }

  /** Runs until everybody is through, or time is up; those who wait then have graceMs more before they are aborted. */
  Outcome run(double startAtEpochMs, long graceMs) throws InterruptedException {
    clock.sleepUntil(startAtEpochMs);
    Usage before = Usage.now();
    double startedAt = clock.now();
    start.countDown();
    if (!running.await(request.roundMs(), TimeUnit.MILLISECONDS)) {
      end(graceMs);
    }
    double elapsedMs = clock.now() - startedAt;
    Usage after = Usage.now();
    return outcome(elapsedMs, after.cpuMs() - before.cpuMs(), after.maxRssMb());
  }

  private void end(long graceMs) throws InterruptedException {
    waiters.forEach(Waiter::stop);
    // Without contention nobody waits: the cycle under way is over in a moment.
    running.await(request.scenario().contended() ? graceMs : request.giveUpMs(), TimeUnit.MILLISECONDS);
    waiters.forEach(Waiter::abort);
    running.await(request.giveUpMs(), TimeUnit.MILLISECONDS);
  }

  private Outcome outcome(double elapsedMs, double cpuMs, double maxRssMb) {
    List<Integer> perWaiter = waiters.stream().map(Waiter::sections).toList();
    return new Outcome(
        true,
        perWaiter.stream().mapToInt(Integer::intValue).sum(),
        elapsedMs,
        cpuMs,
        perWaiter,
        waiters.stream().mapToInt(Waiter::gaveUp).sum(),
        complaints.list(),
        maxRssMb);
  }
}
