package holdfast.bench;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;

/**
 * One process of the benchmark: Redisson's RLock or RFairLock, or Curator's InterProcessMutex, under the bench driver protocol (README.md).
 *
 * <p>The lock is taken with lockInterruptibly(), which is lock() that can be ended when a round is over; it waits as long as
 * it takes.
 */
public final class Driver {
  private static final Gson JSON = new GsonBuilder().disableHtmlEscaping().create();

  private Driver() {}

  public static void main(String[] arguments) {
    try {
      drive(arguments);
    } catch (Exception error) {
      // The libraries' threads would keep the process alive, and the harness waiting for a line that never comes.
      error.printStackTrace();
      Runtime.getRuntime().halt(1);
    }
    // Everything is said and nothing is held: an orderly shutdown would only take time.
    Runtime.getRuntime().halt(0);
  }

  private static void drive(String[] arguments) throws Exception {
    if (arguments.length != 1) {
      throw new IllegalArgumentException("expected one argument, the request as JSON");
    }
    Request request = JSON.fromJson(arguments[0], Request.class);
    if (!request.libraryKnown() || request.scenario() == null) {
      say(Map.of("unsupported", "this driver runs redisson, redisson-fair and curator in sequential, keys, nested, burst and loop"));
      return;
    }
    Locks locks = request.locks();
    EpochClock clock = new EpochClock();
    new WarmUp(locks, request, clock).run();

    SectionLog log = new SectionLog(request.recordAtMost());
    Round round = new Round(locks, request, clock, log);
    say(Map.of("ready", true, "version", locks.version()));
    Outcome outcome = round.run(readGo(), 0);
    log.write(Path.of(request.recordFile()));
    say(outcome);
  }

  private static double readGo() throws Exception {
    BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    String line = orders.readLine();
    if (line == null || !line.startsWith("go ")) {
      throw new IllegalStateException("expected a line 'go <epochMs>' on standard input, got: " + line);
    }
    return Double.parseDouble(line.substring("go ".length()).trim());
  }

  private static void say(Object line) {
    System.out.println(JSON.toJson(line));
    System.out.flush();
  }
}
