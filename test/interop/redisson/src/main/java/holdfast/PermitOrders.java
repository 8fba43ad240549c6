package holdfast;

import java.util.List;
import org.redisson.api.RPermitExpirableSemaphore;
import org.redisson.api.RedissonClient;

/** RPermitExpirableSemaphore. A lease of -1 never ends; several permits are answered with commas between their ids. */
final class PermitOrders implements Orders {
  private final RedissonClient redisson;

  PermitOrders(RedissonClient redisson) {
    this.redisson = redisson;
  }

  @Override
  public Object carryOut(String order, String name, String[] arguments) throws Exception {
    RPermitExpirableSemaphore semaphore = redisson.getPermitExpirableSemaphore(name);
    switch (order) {
      case "trySetPermits":
        return semaphore.trySetPermits(Integer.parseInt(arguments[0]));
      case "addPermits":
        semaphore.addPermits(Integer.parseInt(arguments[0]));
        return true;
      case "availablePermits":
        return semaphore.availablePermits();
      case "acquire":
        return String.join(",", semaphore.acquire(Integer.parseInt(arguments[0]), Long.parseLong(arguments[1]), MS));
      case "tryAcquire":
        return semaphore.tryAcquire(Long.parseLong(arguments[0]), Long.parseLong(arguments[1]), MS);
      case "release":
        semaphore.release(List.of(arguments[0].split(",")));
        return true;
      case "tryRelease":
        return semaphore.tryRelease(arguments[0]);
      case "updateLeaseTime":
        return semaphore.updateLeaseTime(arguments[0], Long.parseLong(arguments[1]), MS);
      case "leaseTime":
        return semaphore.getLeaseTime(arguments[0]);
      case "sections":
        return sections(semaphore, arguments[0], Integer.parseInt(arguments[1]), Long.parseLong(arguments[2]));
      case "crowd":
        return crowd(semaphore, arguments[0], Integer.parseInt(arguments[1]), Integer.parseInt(arguments[2]));
      default:
        return Orders.unknown(order);
    }
  }

  private long sections(RPermitExpirableSemaphore semaphore, String counterKey, int times, long leaseMs)
      throws InterruptedException {
    UnguardedCounter counter = new UnguardedCounter(redisson, counterKey);
    for (int time = 0; time < times; time++) {
      String permit = semaphore.acquire(leaseMs, MS);
      counter.increase();
      semaphore.release(permit);
    }
    return times;
  }

  private long crowd(RPermitExpirableSemaphore semaphore, String insideKey, int times, int permits)
      throws InterruptedException {
    Crowd crowd = new Crowd(redisson, insideKey);
    for (int time = 0; time < times; time++) {
      List<String> taken = semaphore.acquire(permits);
      crowd.pass(permits);
      semaphore.release(taken);
    }
    return crowd.most();
  }
}
