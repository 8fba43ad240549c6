/** Redisson's watchdog and, where a test says so, Holdfast's: short, so that renewals are seen and the dead are succeeded soon. */
export const WATCHDOG_MS = 900
