package holdfast.bench;

import java.util.List;

/** The last line of the driver protocol. */
record Outcome(
    boolean done,
    int sections,
    double elapsedMs,
    double cpuMs,
    List<Integer> perWaiter,
    int gaveUp,
    List<String> errors,
    double maxRssMb) {}
