package holdfast;

import java.util.concurrent.TimeUnit;

/** What can be ordered of one kind of lock. */
interface Orders {
  TimeUnit MS = TimeUnit.MILLISECONDS;

  /** As long as any test: only an announcement ends such a wait. */
  long FOREVER_MS = 3_600_000;

  Object carryOut(String order, String name, String[] arguments) throws Exception;

  /** The answer to an order this kind does not know. */
  static Object unknown(String order) {
    throw new IllegalArgumentException(order);
  }
}
