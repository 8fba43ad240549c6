import { Owners } from '../../src/base/identity/owner.js'
import type { Schedule } from '../../src/base/time/schedule.js'
import type { KindTraits } from '../../src/core/queue/local-queue.js'
import type { CoreSettings, Services } from '../../src/core/services.js'
import { lock } from '../../src/kinds/kinds.js'
import type { Emit } from '../../src/observe/events/events.js'
import { Metrics } from '../../src/observe/metrics/metrics.js'
import type { LockPort } from '../../src/port/lock-port.js'

/** What a part of the core is given, on that port and schedule. */
export function servicesOn(
  port: LockPort,
  schedule: Schedule,
  emit: Emit = () => undefined,
  settings: Partial<CoreSettings> = {},
  kind: KindTraits = lock,
): Services {
  const owners = new Owners()
  return {
    kind,
    port,
    schedule,
    settings: {
      watchdogMs: 30_000,
      commandTimeoutMs: 3_000,
      storeTimeoutMs: 10_000,
      maxWaiters: Number.POSITIVE_INFINITY,
      warnAfterMs: 10_000,
      diagnostics: false,
      maxHandOvers: 0,
      handOverSliceMs: 0,
      quarantineMs: 0,
      ...settings,
    },
    events: { emit, hears: () => false },
    metrics: new Metrics(),
    newOwner: () => owners.next(),
  }
}
