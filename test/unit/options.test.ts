import { hostname } from 'node:os'
import { describe, expect, test } from 'vitest'
import { typeText } from '../../src/base/errors/found.js'
import { Owners } from '../../src/base/identity/owner.js'
import { checkHoldfastOptions } from '../../src/client/holdfast-options.js'
import { Holdfast } from '../../src/index.js'
import { Service } from '../../src/integrations/service/service.js'
import { checkAcquireOptions } from '../../src/kinds/options/options.js'
import { checkPermitsOptions } from '../../src/kinds/options/permits-options.js'
import { MemoryStore } from '../../src/stores/memory/index.js'

const owners = new Owners()
const mine = owners.next()

describe('options of a Holdfast', () => {
  test('the defaults', () => {
    // The numbers are those of docs/options.md: test/docs/options.test.ts.
    expect(checkHoldfastOptions({})).toMatchObject({
      client: { label: `${hostname()}:${process.pid}`, lingerMs: 'auto' },
      onDeadlock: 'report',
    })
  })

  test('undefined is the default, not an error', () => {
    const nothing = [{ watchdogMs: undefined, maxWaiters: undefined }]
    expect(Reflect.apply(checkHoldfastOptions, undefined, nothing)).toEqual(checkHoldfastOptions({}))
  })
})

/** An option whose value is a good one until it has been read so often. */
function turning(option: string, values: readonly unknown[]): object {
  let read = 0
  const get = () => values[Math.min(read++, values.length - 1)]
  return Object.defineProperty({}, option, { enumerable: true, get })
}

describe('options of an acquisition', () => {
  test.each([
    ['waitMs', 100, Number.NaN],
    ['leaseMs', 1_000, -5],
    ['maxHoldMs', 1_000, Number.NaN],
    ['signal', undefined, {}],
    ['onLost', 'continue', 'bad'],
    ['owner', mine, 'nobody'],
  ])('%s is read once: what was checked is what counts', (option, good, bad) => {
    const checked = Reflect.apply(checkAcquireOptions, undefined, [turning(option, [good, bad]), owners])
    expect(Reflect.get(checked, option)).toBe(good)
    expect(Reflect.get(checked, option)).toBe(good)
  })

  test('options of a client are read once', () => {
    expect(checkHoldfastOptions(turning('watchdogMs', [5_000, -1])).client.watchdogMs).toBe(5_000)
  })

  test('options of computeOnce and of a leader are read once', async () => {
    const holdfast = new Holdfast(new MemoryStore())
    await Reflect.apply(holdfast.computeOnce, holdfast, ['a', () => 1, turning('ttlMs', [60_000, -1])])
    const elected = new Promise((resolve) => {
      Reflect.apply(holdfast.leader, holdfast, ['a', turning('onElected', [resolve, 'bad'])])
    })
    expect(await elected).toMatchObject({ name: 'a' })
    await holdfast.close()
  })

  test('options that an object has from its class or its prototype count', () => {
    class Patience {
      get waitMs() {
        return 50
      }
    }
    expect(checkAcquireOptions(new Patience(), owners)).toEqual({ waitMs: 50 })
    expect(() => checkAcquireOptions(Object.create({ waitMs: -1 }), owners)).toThrow('waitMs is -1;')
    expect(checkHoldfastOptions(Object.create({ watchdogMs: 5_000 })).client.watchdogMs).toBe(5_000)
    expect(checkPermitsOptions(new Patience())).toEqual({ lock: { waitMs: 50 }, permits: 1 })
  })

  test('a signal in the place of options is refused: it would be ignored, and the wait would have no end', () => {
    const call = (): unknown =>
      Reflect.apply(checkAcquireOptions, undefined, [AbortSignal.timeout(1), owners])
    expect(call).toThrow('options is an object of AbortSignal; accepted: an object, as in { waitMs: … }')
  })
})

test('what was found tells an empty array from one with elements: "an array; accepted: an array" helps nobody', () => {
  expect(() => new Holdfast(new MemoryStore()).multiLock([])).toThrow('locks is an empty array; accepted')
  const proxy = new Proxy([1], {
    get: () => {
      throw new Error('no reading')
    },
  })
  expect(typeText(proxy)).toBe('an array')
})

test.each(['redis', 7, null, undefined])(
  'faults A2: the settings of a service that are %j are refused by their type',
  (options) => {
    const log = { warn: () => undefined, error: () => undefined }
    const message = expect.stringContaining('an object, as in { store: redis }')
    const refusal = { code: 'INVALID_ARGUMENT', message }
    expect(() => Reflect.construct(Service, [options, log])).toThrow(expect.objectContaining(refusal))
  },
)
