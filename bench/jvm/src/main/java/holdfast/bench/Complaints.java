package holdfast.bench;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** The first few different messages of what went wrong. */
final class Complaints {
  private static final int AT_MOST = 5;

  private final Set<String> messages = new LinkedHashSet<>();

  synchronized void add(Exception error) {
    if (messages.size() < AT_MOST) {
      messages.add(error.getClass().getSimpleName() + ": " + error.getMessage());
    }
  }

  synchronized List<String> list() {
    return List.copyOf(messages);
  }
}
