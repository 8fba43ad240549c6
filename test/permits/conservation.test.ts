/** Permits are neither made nor lost, whatever happens to those that take them. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { VirtualClock } from '../../src/stores/memory/index.js'
import { MemoryRows } from '../../src/stores/memory/memory-rows.js'
import { RowStoreSession } from '../../src/stores/rows/session.js'
import { runsOr } from '../properties/runs.js'
import { rowSettings } from '../setup/row-settings.js'
import { Acquisition, fresh } from './requests.js'

/** What becomes of an acquisition. */
const acts: ReadonlyArray<(acquisition: Acquisition) => Promise<unknown>> = [
  (acquisition) => acquisition.acquire(),
  (acquisition) => acquisition.release(),
  (acquisition) => acquisition.release().then(() => acquisition.release(true)),
  (acquisition) => acquisition.abandon(),
  (acquisition) => acquisition.renew(200),
]

const steps = fc.array(
  fc.oneof(
    fc.record({
      what: fc.constant('acquire' as const),
      permits: fc.integer({ min: 1, max: 6 }),
      leaseMs: fc.integer({ min: 10, max: 500 }),
    }),
    fc.record({ what: fc.constant('act' as const), act: fc.constantFrom(...acts), which: fc.nat(20) }),
    fc.record({ what: fc.constant('add' as const), delta: fc.integer({ min: -5, max: 5 }) }),
    fc.record({ what: fc.constant('pass' as const), ms: fc.integer({ min: 1, max: 300 }) }),
  ),
  { maxLength: 40 },
)

test.each(['semaphore', 'permitExpirableSemaphore'] as const)(
  '%s: what is available and what is held are at all times what there is',
  async (kind) => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 10 }), steps, async (initial, program) => {
        const clock = new VirtualClock()
        const port = new RowStoreSession(new MemoryRows(clock), rowSettings(clock))[kind]
        const acquisitions: Acquisition[] = []
        let total = initial
        await port.trySetPermits('s', initial, fresh())
        for (const step of program) {
          if (step.what === 'acquire') {
            const acquisition = new Acquisition(port, 's', step.permits, step.leaseMs)
            const enough = (await port.availablePermits('s')) >= step.permits
            expect(await acquisition.outcome()).toBe(enough ? 'granted' : 'busy')
            acquisitions.push(acquisition)
          } else if (step.what === 'add') {
            const request = fresh()
            await port.addPermits('s', step.delta, request)
            await port.addPermits('s', step.delta, request)
            total += step.delta
          } else if (step.what === 'pass') {
            clock.skip(step.ms)
          } else {
            const acquisition = acquisitions[step.which % Math.max(acquisitions.length, 1)]
            if (acquisition) await step.act(acquisition)
          }
          const { owners } = await port.inspect('s')
          const held = owners.reduce((sum, { holds }) => sum + holds, 0)
          expect(held + (await port.availablePermits('s'))).toBe(total)
        }
        clock.skip(1_000)
        expect(await port.availablePermits('s')).toBe(total)
      }),
      runsOr(300),
    )
  },
)
