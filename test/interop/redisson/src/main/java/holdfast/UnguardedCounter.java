package holdfast;

import org.redisson.api.RBucket;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;

/** A counter that nothing guards but the lock around its use: it is read, then written. Two at once lose an update. */
final class UnguardedCounter {
  private final RBucket<String> bucket;

  UnguardedCounter(RedissonClient redisson, String key) {
    bucket = redisson.getBucket(key, StringCodec.INSTANCE);
  }

  void increase() {
    long seen = Long.parseLong(bucket.get());
    bucket.set(Long.toString(seen + 1));
  }
}
