import { beforeEach, describe, expect, test } from 'vitest'
import type { Call } from '../../src/core/acquire/call.js'
import { AcquireAny, type AnyOutcome } from '../../src/kinds/several/acquire-any.js'
import type { AcquireReply, AcquireRequest, BatchPort } from '../../src/port/lock-port.js'
import { VirtualClock } from '../../src/stores/memory/index.js'
import { callFrom, root } from './scenery.js'
import { ScriptedLocker } from './scripted-locker.js'
import { ScriptedPort, settle } from './scripted-port.js'

const BUSY: AcquireReply = { outcome: 'busy', remainingMs: 60_000, holder: 'other:1' }
const GRANTED: AcquireReply = { outcome: 'granted' }

/** A store that can be asked for several; the even ones are in one place, the odd ones in another. */
class TogetherScripted extends ScriptedPort {
  readonly asked: Array<readonly string[]> = []
  free: string | undefined
  silent = false
  readonly together: BatchPort = {
    placeOf: (name) => Number(name) % 2,
    acquireAll: () => Promise.reject(new Error('one of them was wanted')),
    acquireOne: async (requests: readonly AcquireRequest[]) => {
      this.asked.push(requests.map(({ name }) => name))
      if (this.silent) return await new Promise<never>(() => undefined)
      return requests.map(({ name }) => (name === this.free ? GRANTED : BUSY))
    },
  }
}

let clock: VirtualClock
let port: ScriptedPort
let scripted: ScriptedLocker

beforeEach(() => {
  clock = new VirtualClock()
  port = new ScriptedPort(true)
  scripted = new ScriptedLocker(port, clock)
})

function anyOf(count: number, terms: Partial<Call> = {}, on = scripted): Promise<AnyOutcome> {
  const { name: _, ...call } = callFrom(root(on.owners.next()), terms)
  return new AcquireAny(on.locker, String, count, call).run()
}

/** Refuses until nothing more is asked; tells what was. */
async function refuseAll(): Promise<string[]> {
  const names: string[] = []
  for (;;) {
    const asked = await scripted.answer(() => BUSY)
    if (asked.length === 0) return names
    names.push(...asked.map(({ name }) => name))
  }
}

describe('AcquireAny', () => {
  test('the order is of chance', async () => {
    const orders = new Set<string>()
    for (let time = 0; time < 20; time += 1) {
      const outcome = anyOf(6, { waitMs: 0 })
      orders.add((await refuseAll()).join())
      await outcome
    }
    expect(orders.size).toBeGreaterThan(1)
  })

  test('more than can be waited for: 64 at a time, and others after a while', async () => {
    const outcome = anyOf(200, { waitMs: 12_000 })
    await refuseAll()
    expect(new Set(port.watches.all.map(({ request }) => request.name)).size).toBe(64)
    const first = port.watches.all.map(({ request }) => request.name).sort()
    await clock.advance(5_000)
    await refuseAll()
    const second = port.watches.all.slice(64).map(({ request }) => request.name)
    expect(port.closedWatches).toBe(64)
    expect(second).toHaveLength(64)
    expect(second.sort()).not.toEqual(first)
    await clock.advance(7_000)
    await refuseAll()
    await clock.advance(2_000)
    expect('waitedMs' in (await outcome)).toBe(true)
  })

  describe('where several can be asked for with one command', () => {
    test('one, then twice as many with each refusal; each command for one place', async () => {
      const both = new TogetherScripted(true)
      const together = new ScriptedLocker(both, clock)
      const outcome = anyOf(100, { waitMs: 0 }, together)
      await settle()
      expect(await outcome).toMatchObject({ holder: 'other:1' })
      expect(both.asked.flat().sort()).toEqual(
        Array.from({ length: 100 }, (_, index) => String(index)).sort(),
      )
      for (const names of both.asked) expect(new Set(names.map((name) => Number(name) % 2)).size).toBe(1)
      expect(both.asked[0]).toHaveLength(1)
      // Batches of 1, 2, 4, …, 64, each in two places at most.
      expect(both.asked.length).toBeLessThanOrEqual(13)
    })

    test('a wait that ends because the store does not answer says so, however many places were not asked', async () => {
      const both = new TogetherScripted(true)
      both.silent = true
      const outcome = anyOf(100, { waitMs: 200 }, new ScriptedLocker(both, clock))
      await settle()
      await clock.advance(200)
      expect(await outcome).toMatchObject({ cause: { code: 'STORE_ERROR', reason: 'timeout' } })
      expect(await outcome).not.toHaveProperty('name')
      expect(both.asked).toHaveLength(1)
    })

    test('the one that is free is found, and only that is held', async () => {
      const both = new TogetherScripted(true)
      both.free = '37'
      const together = new ScriptedLocker(both, clock)
      expect(await anyOf(100, {}, together)).toMatchObject({ index: 37 })
      expect(together.locker.census).toMatchObject({ calls: 0, tenures: 1, orphans: 0 })
    })
  })
})
