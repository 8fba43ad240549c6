package holdfast;

import java.util.List;
import org.redisson.api.RLock;
import org.redisson.api.RScript.Mode;
import org.redisson.api.RScript.ReturnType;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;

/** RLock. A lease of -1 is the watchdog's. */
class LockOrders implements Orders {
  private static final String WRITE = "return redis.call('RPUSH', KEYS[1], ARGV[1])";
  final RedissonClient redisson;

  LockOrders(RedissonClient redisson) {
    this.redisson = redisson;
  }

  RLock lock(String name) {
    return redisson.getLock(name);
  }

  @Override
  public Object carryOut(String order, String name, String[] arguments) throws Exception {
    RLock lock = lock(name);
    switch (order) {
      case "lock":
        lock.lock(Long.parseLong(arguments[0]), MS);
        return true;
      case "tryLock":
        return lock.tryLock(Long.parseLong(arguments[0]), Long.parseLong(arguments[1]), MS);
      case "unlock":
        lock.unlock();
        return true;
      case "forceUnlock":
        return lock.forceUnlock();
      case "isLocked":
        return lock.isLocked();
      case "holdCount":
        return lock.getHoldCount();
      case "owners":
        // As the hash has them, whosever they are: an RLock tells of its own client's only.
        return redisson.getMap(name, StringCodec.INSTANCE).readAllMap();
      case "remainingMs":
        return lock.remainTimeToLive();
      case "sections":
        return sections(lock, arguments[0], Integer.parseInt(arguments[1]), Long.parseLong(arguments[2]));
      case "turns":
        return turns(lock, arguments[0], arguments[1], Long.parseLong(arguments[2]));
      default:
        return Orders.unknown(order);
    }
  }

  /** Takes the lock again and again, and writes its name into a list each time, until there are so many in it. */
  private long turns(RLock lock, String listKey, String waiter, long tenures) throws InterruptedException {
    List<Object> keys = List.of(listKey);
    long turns = 0;
    for (long written = 0; written < tenures; turns++) {
      lock.lock();
      try {
        written = redisson.getScript(StringCodec.INSTANCE).eval(Mode.READ_WRITE, WRITE, ReturnType.LONG, keys, waiter);
        Thread.sleep(1);
      } finally {
        lock.unlock();
      }
    }
    return turns;
  }

  private long sections(RLock lock, String counterKey, int times, long leaseMs) {
    UnguardedCounter counter = new UnguardedCounter(redisson, counterKey);
    for (int time = 0; time < times; time++) {
      lock.lock(leaseMs, MS);
      try {
        lock.lock(leaseMs, MS);
        try {
          counter.increase();
        } finally {
          lock.unlock();
        }
      } finally {
        lock.unlock();
      }
    }
    return times;
  }
}
