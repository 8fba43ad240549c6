package holdfast.bench;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.retry.ExponentialBackoffRetry;

/** Curator's InterProcessMutex, one for each waiter, over one client with Curator's default session of 60 s. */
final class CuratorLocks implements Locks {
  private static final String POM = "/META-INF/maven/org.apache.curator/curator-recipes/pom.properties";

  private final CuratorFramework client;

  CuratorLocks(List<String> servers) throws InterruptedException {
    client = CuratorFrameworkFactory.newClient(String.join(",", servers), new ExponentialBackoffRetry(100, 3));
    client.start();
    client.blockUntilConnected();
  }

  @Override
  public Lock of(String name) {
    return new MutexLock(new InterProcessMutex(client, "/" + name));
  }

  @Override
  public String version() {
    try (InputStream pom = InterProcessMutex.class.getResourceAsStream(POM)) {
      Properties properties = new Properties();
      properties.load(pom);
      return properties.getProperty("version", "unknown");
    } catch (IOException | NullPointerException noPom) {
      return "unknown";
    }
  }

  private record MutexLock(InterProcessMutex mutex) implements Lock {
    @Override
    public void lockInterruptibly() throws InterruptedException {
      try {
        mutex.acquire();
      } catch (InterruptedException aborted) {
        throw aborted;
      } catch (Exception error) {
        throw new IllegalStateException(error.getMessage(), error);
      }
    }

    @Override
    public void unlock() {
      try {
        mutex.release();
      } catch (Exception error) {
        throw new IllegalStateException(error.getMessage(), error);
      }
    }

    @Override
    public void lock() {
      throw new UnsupportedOperationException();
    }

    @Override
    public boolean tryLock() {
      throw new UnsupportedOperationException();
    }

    @Override
    public boolean tryLock(long time, TimeUnit unit) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Condition newCondition() {
      throw new UnsupportedOperationException();
    }
  }
}
