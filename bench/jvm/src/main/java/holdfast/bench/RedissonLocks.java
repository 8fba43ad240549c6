package holdfast.bench;

import java.util.concurrent.locks.Lock;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** Redisson's RLock or RFairLock, everything at its default: codec, pools, a watchdog of 30 s. */
final class RedissonLocks implements Locks {
  private final RedissonClient redisson;
  private final boolean fair;

  RedissonLocks(String host, int port, boolean fair) {
    Config config = new Config();
    config.useSingleServer().setAddress("redis://" + host + ":" + port);
    this.redisson = Redisson.create(config);
    this.fair = fair;
  }

  @Override
  public Lock of(String name) {
    return fair ? redisson.getFairLock(name) : redisson.getLock(name);
  }

  @Override
  public String version() {
    String version = Redisson.class.getPackage().getImplementationVersion();
    return version == null ? "unknown" : version;
  }
}
