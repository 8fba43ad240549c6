package holdfast.bench;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/** The sections of one round, kept in memory until it is over. */
final class SectionLog {
  private static final int SECTION_BYTES = 4 * Double.BYTES;
  private static final int PAGE_SECTIONS = 1 << 14;

  private final int atMost;
  private final List<ByteBuffer> pages = new ArrayList<>();
  private ByteBuffer page = ByteBuffer.allocate(0);
  private int count;

  SectionLog(int atMost) {
    this.atMost = atMost;
  }

  synchronized void add(int waiter, double requestedAt, double enteredAt, double leftAt) {
    if (count == atMost) {
      return;
    }
    count++;
    if (!page.hasRemaining()) {
      page = ByteBuffer.allocate(PAGE_SECTIONS * SECTION_BYTES).order(ByteOrder.LITTLE_ENDIAN);
      pages.add(page);
    }
    page.putDouble(waiter).putDouble(requestedAt).putDouble(enteredAt).putDouble(leftAt);
  }

  synchronized void write(Path file) throws IOException {
    try (FileChannel channel =
        FileChannel.open(
            file, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE)) {
      for (ByteBuffer filled : pages) {
        ByteBuffer left = filled.duplicate().flip();
        while (left.hasRemaining()) {
          channel.write(left);
        }
      }
    }
  }
}
