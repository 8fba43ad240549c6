package holdfast.bench;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.locks.LockSupport;

/** Epoch milliseconds from the monotonic clock, anchored once to the wall clock. */
final class EpochClock {
  private static final int TRIES = 1_000;
  private static final double NANOS_PER_MS = 1e6;

  private final long anchorNanos;
  private final double anchorEpochMs;

  EpochClock() {
    long bestWidth = Long.MAX_VALUE;
    long nanos = 0;
    Instant wall = Instant.EPOCH;
    // The reading between the two closest readings of the monotonic clock is the most exact; the others were interrupted.
    for (int tried = 0; tried < TRIES; tried++) {
      long before = System.nanoTime();
      Instant read = Instant.now();
      long width = System.nanoTime() - before;
      if (width < bestWidth) {
        bestWidth = width;
        nanos = before + width / 2;
        wall = read;
      }
    }
    anchorNanos = nanos;
    anchorEpochMs = Duration.between(Instant.EPOCH, wall).toNanos() / NANOS_PER_MS;
  }

  double now() {
    return anchorEpochMs + (System.nanoTime() - anchorNanos) / NANOS_PER_MS;
  }

  void sleepUntil(double epochMs) {
    for (double left = epochMs - now(); left > 0; left = epochMs - now()) {
      LockSupport.parkNanos(Math.max(1, (long) (left * NANOS_PER_MS)));
    }
  }
}
