/** Whatever a store or its client library throws, a public call rejects with an error of Holdfast; what the user's own code throws stays as it is. */
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { Holdfast, HoldfastError, StoreError } from '../../src/index.js'
import type { Store, StoreSession, StoreSettings } from '../../src/port/store.js'
import { MemoryStore, VirtualClock } from '../../src/stores/memory/index.js'
import { publicCalls } from '../setup/public-calls.js'

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

/** What a port answers without asking anybody. */
const BY_ITSELF = new Set<PropertyKey>(['placeOf', 'hears', 'pauseMs', 'asideMs', 'open', 'close', 'watch'])

/** A store whose client library throws something odd, at once or later. */
class OddStore implements Store {
  thrown: unknown
  how: 'rejects' | 'throws' | undefined
  readonly #memory: MemoryStore

  constructor(readonly clock: VirtualClock) {
    this.#memory = new MemoryStore(clock)
  }

  open(settings: StoreSettings): StoreSession {
    return Object.freeze(this.#wrap(this.#memory.open(settings)))
  }

  #wrap<Port extends object>(port: Port): Port {
    const bare: Port = Object.create(port)
    return new Proxy(bare, {
      get: (_, property): unknown => {
        const found: unknown = Reflect.get(port, property, port)
        if (typeof found === 'function')
          return (...args: unknown[]): unknown =>
            this.how && !BY_ITSELF.has(property)
              ? this.#fail(property, args)
              : Reflect.apply(found, port, args)
        return typeof found === 'object' && found !== null ? this.#wrap(found) : found
      },
    })
  }

  #fail(property: PropertyKey, [first]: unknown[]): unknown {
    if (this.how === 'throws') throw this.thrown
    if (property === 'list') return this.#list()
    const failed = Promise.reject(this.thrown)
    failed.catch(() => undefined)
    return property === 'renew' && Array.isArray(first) ? first.map(() => failed) : failed
  }

  // biome-ignore lint/correctness/useYield: it fails before
  async *#list(): AsyncIterable<never> {
    throw this.thrown
  }
}

/** What the call comes to, in whatever time it takes. */
async function outcomeOf(clock: VirtualClock, call: Promise<unknown>): Promise<unknown> {
  let over = false
  const outcome = call.then(
    () => 'it succeeded',
    (error: unknown) => error,
  )
  void outcome.then(() => {
    over = true
  })
  for (let step = 0; !over && step < 100; step += 1) await clock.advance(10)
  expect(over).toBe(true)
  return await outcome
}

describe.each(['rejects', 'throws'] as const)('faults B18: a store that %s', (how) => {
  test.each(Object.keys(odd))('%s: every public call rejects with an error of Holdfast', async (what) => {
    const clock = new VirtualClock()
    const store = new OddStore(clock)
    store.thrown = odd[what]
    const holdfast = new Holdfast(store, { storeTimeoutMs: 200, commandTimeoutMs: 100 })
    holdfast.on('error', () => undefined)
    const reasons: string[] = []
    for (const [name, call] of Object.entries(publicCalls)) {
      store.how = how
      const error = await outcomeOf(clock, call(holdfast, randomUUID()))
      expect(error, name).toBeInstanceOf(HoldfastError)
      reasons.push(error instanceof StoreError ? error.reason : 'its time was up')
    }
    expect(new Set(reasons)).toContain('unknown')
    store.how = undefined
    await holdfast.close()
  })
})

test('faults B18: nothing that was granted stays taken, and what is held is renewed once the store answers', async () => {
  const clock = new VirtualClock()
  const store = new OddStore(clock)
  store.thrown = odd['a TypeError']
  const holdfast = new Holdfast(store, { watchdogMs: 3_000, storeTimeoutMs: 200 })
  const hold = await holdfast.lock('held').acquire()
  store.how = 'rejects'
  const error = await outcomeOf(clock, hold.extend(5_000))
  expect(error).toBeInstanceOf(StoreError)
  await clock.advance(1_100)
  store.how = undefined
  await clock.advance(10_000)
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
