package holdfast.bench;

import java.util.concurrent.locks.Lock;

/** One thread that takes the lock, stays in the section, and lets go: once in a burst, else until it is stopped. */
final class Waiter implements Runnable {
  private final Request request;
  private final int number;
  private final Lock lock;
  private final Stage stage;
  private final Thread thread;
  private boolean asking;
  private boolean stopped;
  private int sections;
  private int gaveUp;

  Waiter(Request request, int number, Lock lock, Stage stage) {
    this.request = request;
    this.number = number;
    this.lock = lock;
    this.stage = stage;
    // A platform thread: the libraries know the owner by its thread. A small stack, so that thousands fit.
    this.thread = new Thread(null, this, "waiter-" + number, 256 * 1024);
  }

  void start() {
    thread.start();
  }

  /** Asks no more. What is under way goes on. */
  synchronized void stop() {
    stopped = true;
  }

  /** Ends a wait that is under way; a section is never cut short. */
  synchronized void abort() {
    stopped = true;
    if (asking) {
      thread.interrupt();
    }
  }

  int sections() {
    return sections;
  }

  int gaveUp() {
    return gaveUp;
  }

  @Override
  public void run() {
    try {
      stage.start().await();
      boolean again = true;
      while (again && beginAsking()) {
        cycle();
        again = request.scenario() != Scenario.BURST;
      }
    } catch (InterruptedException stoppedBeforeTheStart) {
      Thread.currentThread().interrupt();
    } finally {
      stage.running().countDown();
    }
  }

  private void cycle() {
    int held = 0;
    double requestedAt = stage.clock().now();
    try {
      for (; held < request.holds(); held++) {
        lock.lockInterruptibly();
      }
      endAsking();
      double enteredAt = stage.clock().now();
      stay();
      double leftAt = stage.clock().now();
      letGo(held);
      // Also when the release failed: a section whose lock was lost is the one that must be seen in the log.
      sections++;
      stage.log().add(number, requestedAt, enteredAt, leftAt);
    } catch (InterruptedException aborted) {
      endAsking();
      countAborted();
      letGo(held);
    } catch (RuntimeException error) {
      endAsking();
      // Redisson wraps the interruption when a command was under way.
      if (error.getCause() instanceof InterruptedException) {
        countAborted();
      } else {
        stage.complaints().add(error);
        gaveUp++;
      }
      letGo(held);
    }
  }

  /** The end of a loop finds most waiters waiting; only in a burst was that all the time they were given. */
  private void countAborted() {
    gaveUp += request.scenario() == Scenario.BURST ? 1 : 0;
  }

  private void stay() throws InterruptedException {
    if (request.sectionMsInForce() > 0) {
      // Thread.sleep, the JVM's timer: like Node's setTimeout it lasts the whole time or a little longer, where a park may end
      // early for no reason.
      Thread.sleep(request.sectionMsInForce());
    }
  }

  private void letGo(int held) {
    for (int left = held; left > 0; left--) {
      try {
        lock.unlock();
      } catch (RuntimeException error) {
        stage.complaints().add(error);
      }
    }
  }

  private synchronized boolean beginAsking() {
    asking = !stopped;
    return asking;
  }

  private synchronized void endAsking() {
    asking = false;
    // An abort that came together with the grant must not reach into the section.
    Thread.interrupted();
  }
}
