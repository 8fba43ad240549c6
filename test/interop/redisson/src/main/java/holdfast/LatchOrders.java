package holdfast;

import org.redisson.api.RCountDownLatch;
import org.redisson.api.RedissonClient;

/** RCountDownLatch. */
final class LatchOrders implements Orders {
  private final RedissonClient redisson;

  LatchOrders(RedissonClient redisson) {
    this.redisson = redisson;
  }

  @Override
  public Object carryOut(String order, String name, String[] arguments) throws Exception {
    RCountDownLatch latch = redisson.getCountDownLatch(name);
    switch (order) {
      case "trySetCount":
        return latch.trySetCount(Long.parseLong(arguments[0]));
      case "count":
        return latch.getCount();
      case "countDown":
        return countDown(latch, Integer.parseInt(arguments[0]));
      case "await":
        return latch.await(Long.parseLong(arguments[0]), MS);
      case "delete":
        return latch.delete();
      default:
        return Orders.unknown(order);
    }
  }

  private static long countDown(RCountDownLatch latch, int times) {
    for (int time = 0; time < times; time++) {
      latch.countDown();
    }
    return times;
  }
}
