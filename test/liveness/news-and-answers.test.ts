/** What a client is told, and what it is answered, may travel on different ways: neither may cost a waiter its wake-up. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { StoreError } from '../../src/base/errors/errors.js'
import { Latch } from '../../src/conformance/latch.js'
import { Holdfast } from '../../src/index.js'
import { VirtualClock } from '../../src/stores/memory/index.js'
import { closeAll, endOf } from '../unit/in-virtual-time.js'
import { FarRows } from './far-rows.js'
import { type Journey, Network } from './network.js'

const noAnswer = new StoreError('timeout', 'acquire', { transient: true })

let clock: VirtualClock
let network: Network
let rows: FarRows
let here: Holdfast
let there: Holdfast

beforeEach(() => {
  clock = new VirtualClock()
  network = new Network(clock)
  rows = new FarRows(network)
  here = new Holdfast(rows)
  there = new Holdfast(rows)
})
afterEach(() => closeAll(clock, here, there))

/** How the first changes of `here` travel from now on; all others take no time. */
function travels(...journeys: Journey[]): void {
  const [client] = rows.clients
  network.journey = (asking) => (asking === client && journeys.shift()) || {}
}

describe('a question of another call, between the news and the answer that is older than the news', () => {
  test.each(['lock', 'fencedLock'] as const)('W2: costs a waiter no wake-up (%s)', async (kind) => {
    const held = await there[kind]('name').acquire()
    const answer = new Latch()
    travels({}, { back: answer.opened }, { back: 20 })
    const waiting = endOf(clock, here[kind]('name').acquire())
    await clock.advance(5)
    await held.release()
    await clock.advance(5)
    const tried = endOf(clock, here[kind]('name').tryAcquire())
    await clock.advance(5)
    answer.open()
    await clock.advance(100)
    expect(tried.value).toBeNull()
    expect(waiting.value).toBeDefined()
  })

  const permits = (kind: 'semaphore' | 'permitExpirableSemaphore') => async () => {
    const [waits, holds] = [here[kind]('name'), there[kind]('name')]
    await holds.trySetPermits(1)
    const held = await holds.acquire()
    return {
      wait: () => waits.acquire(),
      free: () => held.release(),
      attempt: (signal: AbortSignal) => waits.tryAcquire({ permits: 5, signal }),
    }
  }
  const latch = async () => {
    const [waits, counts] = [here.countDownLatch('name'), there.countDownLatch('name')]
    await counts.trySetCount(1)
    return {
      wait: () => waits.await(),
      free: () => counts.countDown(),
      attempt: (signal: AbortSignal) => waits.tryAwait({ signal }),
    }
  }
  test.each([
    ['semaphore', permits('semaphore')],
    ['permitExpirableSemaphore', permits('permitExpirableSemaphore')],
    ['countDownLatch', latch],
  ])('W2: nor where its caller leaves before it is answered (%s)', async (_, taken) => {
    const { wait, free, attempt } = await taken()
    const answer = new Latch()
    // It asks, is listed, and asks again.
    travels({}, {}, { back: answer.opened })
    const waiting = endOf<unknown>(clock, wait())
    await clock.advance(5)
    await free()
    await clock.advance(5)
    const cancel = new AbortController()
    const tried = endOf<unknown>(clock, attempt(cancel.signal))
    cancel.abort('left')
    await clock.advance(5)
    expect(tried.error).toBe('left')
    answer.open()
    await clock.advance(100)
    expect(waiting.at).toBeDefined()
    expect(waiting.error).toBeUndefined()
  })
})

test.each(['semaphore', 'permitExpirableSemaphore'] as const)(
  'X1: a waiter whose grant was not heard repeats its request, although a single attempt beside it was refused (%s)',
  async (kind) => {
    const waits = here[kind]('name')
    await there[kind]('name').trySetPermits(1)
    travels({ lost: noAnswer })
    const waiting = endOf(clock, waits.acquire())
    await clock.advance(0)
    const tried = endOf(clock, waits.tryAcquire())
    await clock.advance(2_000)
    expect(tried.value).toBeNull()
    expect(waiting.value).toBeDefined()
  },
)

test('L3: a nested hold that was granted before the lease ended, and is answered after it, is held and told of its own loss', async () => {
  const owner = here.owner()
  const outer = await here.lock('name').acquire({ owner, leaseMs: 1_000 })
  travels({ back: 1_500 })
  const nesting = endOf(clock, here.lock('name').acquire({ owner, leaseMs: 10_000 }))
  await clock.advance(2_000)
  expect(outer.signal.aborted).toBe(true)
  expect(nesting).toMatchObject({ at: 1_500, value: expect.anything() })
  nesting.value?.assertHeld()
  expect((await there.lock('name').inspect()).owners).toMatchObject([{ holds: 1 }])
  await clock.advance(10_000)
  expect(nesting.value?.signal.aborted).toBe(true)
})

test('L3: a grant that comes after its lease is asked for again, however long the process has run', async () => {
  await clock.advance(60_000)
  travels({ back: 1_500 })
  const asking = endOf(clock, here.lock('name').acquire({ leaseMs: 1_000, waitMs: 20_000 }))
  await clock.advance(2_000)
  expect(asking.error).toBeUndefined()
  asking.value?.assertHeld()
  await asking.value?.release()
  expect(await there.lock('name').isLocked()).toBe(false)
})
