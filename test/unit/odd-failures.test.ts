/** Whatever a store or its client library throws, a public call rejects with an error of Holdfast; what the user's own code throws stays as it is. */
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { rejectionOf } from '../../src/conformance/outcome.js'
import { Holdfast, HoldfastError, StoreError } from '../../src/index.js'
import { MemoryStore, VirtualClock } from '../../src/stores/memory/index.js'
import { publicCalls } from '../setup/public-calls.js'
import { inVirtualTime } from './in-virtual-time.js'
import { TakenOver } from './taken-over.js'

class DriverError {
  readonly code = 'E_DRIVER'
}

const odd: Readonly<Record<string, unknown>> = {
  'a TypeError': new TypeError("Cannot read properties of undefined (reading 'rows')"),
  'a RangeError': new RangeError('The number NaN cannot be converted to a BigInt'),
  'a class of its own': new DriverError(),
  'a frozen object': Object.freeze({ errno: 7 }),
  'a text': 'gone',
  'a symbol': Symbol('gone'),
  nothing: undefined,
}

/** A store whose client library throws something odd, at once or later. */
class OddStore extends TakenOver {
  thrown: unknown
  how: 'rejects' | 'throws' | undefined

  protected takes(command: string): boolean {
    return this.how !== undefined && !['close', 'watch'].includes(command)
  }

  protected instead(command: string): unknown {
    if (this.how === 'throws') throw this.thrown
    if (command === 'list') return this.#list()
    const failed = Promise.reject(this.thrown)
    failed.catch(() => undefined)
    return failed
  }

  // biome-ignore lint/correctness/useYield: it fails before
  async *#list(): AsyncIterable<never> {
    throw this.thrown
  }
}

describe.each(['rejects', 'throws'] as const)('faults B18: a store that %s', (how) => {
  test.each(Object.entries(odd))(
    '%s: every public call rejects with an error of Holdfast',
    async (_, thrown) => {
      const store = new OddStore(new VirtualClock())
      store.thrown = thrown
      const holdfast = new Holdfast(store, { storeTimeoutMs: 200, commandTimeoutMs: 100 })
      holdfast.on('error', () => undefined)
      const reasons: string[] = []
      for (const [name, call] of Object.entries(publicCalls)) {
        store.how = how
        const error = await inVirtualTime(store.clock, rejectionOf(call(holdfast, randomUUID())))
        expect(error, name).toBeInstanceOf(HoldfastError)
        reasons.push(error instanceof StoreError ? error.reason : 'its time was up')
      }
      expect(new Set(reasons)).toContain('unknown')
      store.how = undefined
      await holdfast.close()
    },
  )
})

test('faults B18: nothing that was granted stays taken, and what is held is renewed once the store answers', async () => {
  const store = new OddStore(new VirtualClock())
  store.thrown = odd['a TypeError']
  const holdfast = new Holdfast(store, { watchdogMs: 3_000, storeTimeoutMs: 200 })
  const hold = await holdfast.lock('held').acquire()
  store.how = 'rejects'
  expect(await inVirtualTime(store.clock, rejectionOf(hold.extend(5_000)))).toBeInstanceOf(StoreError)
  await store.clock.advance(1_100)
  store.how = undefined
  await store.clock.advance(10_000)
  hold.assertHeld()
  await hold.release()
  expect(await holdfast.lock('held').isLocked()).toBe(false)
  await holdfast.close()
})

test('faults B18: what the body of a section throws is passed on as it is', async () => {
  const holdfast = new Holdfast(new MemoryStore(new VirtualClock()))
  for (const thrown of Object.values(odd)) {
    const fail = (): never => {
      throw thrown
    }
    await expect(holdfast.lock('a').withLock(fail)).rejects.toBe(thrown)
    await expect(holdfast.computeOnce('b', fail, { ttlMs: 1_000 })).rejects.toBe(thrown)
  }
  await holdfast.close()
})
