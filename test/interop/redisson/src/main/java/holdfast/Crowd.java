package holdfast;

import org.redisson.api.RAtomicLong;
import org.redisson.api.RedissonClient;

/** How many permits are in use at once, of all processes, and the most that was ever seen. */
final class Crowd {
  private final RAtomicLong inside;
  private long most;

  Crowd(RedissonClient redisson, String key) {
    inside = redisson.getAtomicLong(key);
  }

  void pass(int permits) {
    most = Math.max(most, inside.addAndGet(permits));
    inside.addAndGet(-permits);
  }

  long most() {
    return most;
  }
}
