package holdfast.bench;

import java.util.concurrent.CountDownLatch;

/** What the waiters of one round share. */
record Stage(EpochClock clock, SectionLog log, Complaints complaints, CountDownLatch start, CountDownLatch running) {}
