/** What calls make of a store that fails: rule H4, where the store is met by several calls or parts of one. */
import { describe, expect, test } from 'vitest'
import { Disturbance, disturbedStore } from '../../src/conformance/disturbed-store.js'
import { rejectionOf } from '../../src/conformance/outcome.js'
import { Holdfast } from '../../src/index.js'
import { MemoryStore, VirtualClock } from '../../src/stores/memory/index.js'
import { endOf } from './falling-silent.js'
import { callFrom, root, within } from './scenery.js'
import { ScriptedLocker } from './scripted-locker.js'
import { SilentPort } from './silent-port.js'

const COMMAND_TIMEOUT_MS = 3_000
const STORE_TIMEOUT_MS = 10_000

describe('on a store that refuses now and then', () => {
  function scene() {
    const clock = new VirtualClock()
    const disturbance = new Disturbance()
    const holdfast = new Holdfast(disturbedStore(new MemoryStore(clock), disturbance))
    return { clock, disturbance, holdfast }
  }

  test('H4: a failure of long ago rejects nobody who has waited since', async () => {
    const { clock, disturbance, holdfast } = scene()
    const lock = holdfast.lock('a')
    const hold = await lock.acquire()
    const waiting = endOf(clock, lock.acquire())
    disturbance.cut = true
    expect(await rejectionOf(lock.tryAcquire())).toMatchObject({ code: 'STORE_ERROR' })
    disturbance.cut = false
    await clock.advance(60_000)
    await hold.release()
    await clock.advance(1_000)
    expect(waiting).toMatchObject({ at: expect.any(Number), value: expect.anything() })
  })

  test.each([
    ['1 of 3', 1, 3],
    ['50 of 100', 50, 100],
  ])(
    'H4: any stripe, while this client holds %s: the call ends with the outage, whatever waits for its own sections',
    async (_, own, all) => {
      const { clock, disturbance, holdfast } = scene()
      const stripes = holdfast.stripedLock('s', all)
      for (let taken = 0; taken < own; taken += 1) await stripes.acquireAny({ leaseMs: 3_600_000 })
      disturbance.cut = true
      const waiting = endOf(clock, stripes.acquireAny())
      const calledAt = clock.now()
      await clock.advance(STORE_TIMEOUT_MS - 1)
      expect(waiting).toEqual({})
      await clock.advance(COMMAND_TIMEOUT_MS)
      expect(waiting).toMatchObject({ error: { code: 'STORE_ERROR' } })
      expect(calledAt).toBe(0)
    },
  )
})

describe('within a section, on a store that has fallen silent', () => {
  async function sectionOn(clock: VirtualClock) {
    const port = new SilentPort(clock, COMMAND_TIMEOUT_MS, false)
    const scripted = new ScriptedLocker(port, clock)
    const scope = root(scripted.owners.next())
    port.silent = false
    await scripted.locker.acquire(callFrom(scope, { leaseMs: 3_600_000 }))
    port.silent = true
    const nested = (waitMs: number) =>
      Array.from({ length: 6 }, () =>
        endOf(clock, scripted.locker.acquire(callFrom(within(scope), { waitMs, leaseMs: 3_600_000 }))),
      )
    return { nested }
  }

  test('H4: nested calls side by side end with the outage, not one after the other', async () => {
    const clock = new VirtualClock()
    const { nested } = await sectionOn(clock)
    const calls = nested(Number.POSITIVE_INFINITY)
    await clock.advance(STORE_TIMEOUT_MS + COMMAND_TIMEOUT_MS)
    for (const end of calls) expect(end).toMatchObject({ error: { code: 'STORE_ERROR' } })
  })

  test('H4: nested calls that do not wait take one command, all of them', async () => {
    const clock = new VirtualClock()
    const { nested } = await sectionOn(clock)
    const calls = nested(0)
    await clock.advance(COMMAND_TIMEOUT_MS + 100)
    for (const end of calls) expect(end).toHaveProperty('at')
  })
})
