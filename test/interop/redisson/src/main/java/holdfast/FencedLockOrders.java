package holdfast;

import org.redisson.api.RFencedLock;
import org.redisson.api.RList;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;

/** RFencedLock: what an RLock can do, and its tokens. */
final class FencedLockOrders extends LockOrders {
  FencedLockOrders(RedissonClient redisson) {
    super(redisson);
  }

  @Override
  RFencedLock lock(String name) {
    return redisson.getFencedLock(name);
  }

  @Override
  public Object carryOut(String order, String name, String[] arguments) throws Exception {
    RFencedLock lock = lock(name);
    switch (order) {
      case "lockAndGetToken":
        return lock.lockAndGetToken();
      case "tryLockAndGetToken":
        return lock.tryLockAndGetToken(Long.parseLong(arguments[0]), Long.parseLong(arguments[1]), MS);
      case "token":
        return lock.getToken();
      case "tokens":
        return tokens(lock, arguments[0], Integer.parseInt(arguments[1]), Long.parseLong(arguments[2]));
      default:
        return super.carryOut(order, name, arguments);
    }
  }

  /** Writes down the token of every section, in the order in which the sections run. A nested one has a token of its own here. */
  private long tokens(RFencedLock lock, String listKey, int times, long leaseMs) {
    RList<String> list = redisson.getList(listKey, StringCodec.INSTANCE);
    for (int time = 0; time < times; time++) {
      list.add(lockAndGetToken(lock, leaseMs));
      list.add(lockAndGetToken(lock, leaseMs));
      lock.unlock();
      lock.unlock();
    }
    return times;
  }

  private static String lockAndGetToken(RFencedLock lock, long leaseMs) {
    return Long.toString(lock.tryLockAndGetToken(FOREVER_MS, leaseMs, MS));
  }
}
