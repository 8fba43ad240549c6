package holdfast.bench;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;

/** What this process has used up to now. */
record Usage(double cpuMs, double maxRssMb) {
  private static final OperatingSystemMXBean SYSTEM =
      ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

  static Usage now() {
    return new Usage(SYSTEM.getProcessCpuTime() / 1e6, readMaxRssMb());
  }

  /** The high-water mark as Linux keeps it; the JVM knows only its heap. */
  private static double readMaxRssMb() {
    try {
      for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
        if (line.startsWith("VmHWM:")) {
          return Long.parseLong(line.replaceAll("\\D", "")) / 1024.0;
        }
      }
    } catch (IOException noProcHere) {
      return 0;
    }
    return 0;
  }
}
