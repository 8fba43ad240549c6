package holdfast.bench;

import java.util.concurrent.locks.Lock;

/** One library, connected: makes what a waiter takes. */
interface Locks {
  Lock of(String name);

  String version();
}
