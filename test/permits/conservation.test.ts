/** Permits are neither made nor lost, whatever happens to those that take them. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { VirtualClock } from '../../src/stores/memory/index.js'
import { MemoryRows } from '../../src/stores/memory/memory-rows.js'
import { RowStoreSession } from '../../src/stores/rows/session.js'
import { runsOr } from '../properties/runs.js'
import { rowSettings } from '../setup/row-settings.js'
import { Acquisition, fresh } from './requests.js'

const steps = fc.array(
  fc.oneof(
    fc.record({
      what: fc.constant('acquire' as const),
      permits: fc.integer({ min: 1, max: 6 }),
      leaseMs: fc.integer({ min: 10, max: 500 }),
    }),
    fc.record({
      what: fc.constantFrom(
        'repeat' as const,
        'release' as const,
        'release twice' as const,
        'abandon' as const,
        'renew' as const,
      ),
      which: fc.nat(20),
    }),
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
          switch (step.what) {
            case 'acquire': {
              const acquisition = new Acquisition(port, 's', step.permits, step.leaseMs)
              const available = await port.availablePermits('s')
              const outcome = await acquisition.outcome()
              expect(outcome).toBe(available >= step.permits ? 'granted' : 'busy')
              acquisitions.push(acquisition)
              break
            }
            case 'add': {
              const request = fresh()
              await port.addPermits('s', step.delta, request)
              await port.addPermits('s', step.delta, request)
              total += step.delta
              break
            }
            case 'pass':
              clock.skip(step.ms)
              break
            default:
              await act(step.what, acquisitions[step.which % Math.max(acquisitions.length, 1)])
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

type Act = 'repeat' | 'release' | 'release twice' | 'abandon' | 'renew'

async function act(what: Act, acquisition: Acquisition | undefined): Promise<void> {
  if (!acquisition) return
  if (what === 'repeat') await acquisition.acquire()
  if (what === 'abandon') await acquisition.abandon()
  if (what === 'renew') await acquisition.renew(200)
  if (what === 'release' || what === 'release twice') await acquisition.release()
  if (what === 'release twice') await acquisition.release(true)
}
