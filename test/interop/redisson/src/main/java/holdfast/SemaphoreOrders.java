package holdfast;

import org.redisson.api.RSemaphore;
import org.redisson.api.RedissonClient;

/** RSemaphore. */
final class SemaphoreOrders implements Orders {
  private final RedissonClient redisson;

  SemaphoreOrders(RedissonClient redisson) {
    this.redisson = redisson;
  }

  @Override
  public Object carryOut(String order, String name, String[] arguments) throws Exception {
    RSemaphore semaphore = redisson.getSemaphore(name);
    switch (order) {
      case "trySetPermits":
        return semaphore.trySetPermits(Integer.parseInt(arguments[0]));
      case "addPermits":
        semaphore.addPermits(Integer.parseInt(arguments[0]));
        return true;
      case "availablePermits":
        return semaphore.availablePermits();
      case "drainPermits":
        return semaphore.drainPermits();
      case "acquire":
        semaphore.acquire(Integer.parseInt(arguments[0]));
        return true;
      case "tryAcquire":
        return semaphore.tryAcquire(Integer.parseInt(arguments[0]), Long.parseLong(arguments[1]), MS);
      case "release":
        semaphore.release(Integer.parseInt(arguments[0]));
        return true;
      case "sections":
        return sections(semaphore, arguments[0], Integer.parseInt(arguments[1]));
      case "crowd":
        return crowd(semaphore, arguments[0], Integer.parseInt(arguments[1]), Integer.parseInt(arguments[2]));
      default:
        return Orders.unknown(order);
    }
  }

  private long sections(RSemaphore semaphore, String counterKey, int times) throws InterruptedException {
    UnguardedCounter counter = new UnguardedCounter(redisson, counterKey);
    for (int time = 0; time < times; time++) {
      semaphore.acquire();
      counter.increase();
      semaphore.release();
    }
    return times;
  }

  private long crowd(RSemaphore semaphore, String insideKey, int times, int permits) throws InterruptedException {
    Crowd crowd = new Crowd(redisson, insideKey);
    for (int time = 0; time < times; time++) {
      semaphore.acquire(permits);
      crowd.pass(permits);
      semaphore.release(permits);
    }
    return crowd.most();
  }
}
