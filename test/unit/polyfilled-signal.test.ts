/** Signals of the older standard, as polyfills have them: without a reason, and without throwIfAborted(). */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { rejectionOf } from '../../src/conformance/outcome.js'
import { Holdfast } from '../../src/index.js'
import { acquireChannel } from '../../src/observe/trace/acquire.js'
import { MemoryStore } from '../../src/stores/memory/index.js'

class OldSignal extends EventTarget {
  aborted = false

  abort(): void {
    this.aborted = true
    this.dispatchEvent(new Event('abort'))
  }
}

/** As TypeScript sees it in a program that has one of a polyfill's. */
function isSignal(signal: object): signal is AbortSignal {
  return signal instanceof OldSignal
}

function oldSignal(): { signal: AbortSignal; abort: () => void } {
  const signal: object = new OldSignal()
  if (!isSignal(signal) || !(signal instanceof OldSignal)) throw new TypeError()
  return { signal, abort: () => Reflect.apply(OldSignal.prototype.abort, signal, []) }
}

let client: Holdfast
beforeEach(() => {
  client = new Holdfast(new MemoryStore())
})
afterEach(() => client.close({ timeoutMs: 0 }))

const never = (): Promise<never> => new Promise(() => undefined)

const calls: ReadonlyArray<readonly [string, (client: Holdfast, signal: AbortSignal) => Promise<unknown>]> = [
  ['acquire', (client, signal) => client.lock('taken').acquire({ signal })],
  ['withLock', (client, signal) => client.lock('taken').withLock({ signal }, () => undefined)],
  ['tryAcquire', (client, signal) => client.lock('taken').tryAcquire({ signal, waitMs: 60_000 })],
  ['a fair lock', (client, signal) => client.fairLock('taken').acquire({ signal })],
  ['a read lock', (client, signal) => client.readWriteLock('taken').readLock().acquire({ signal })],
  [
    'a multi-lock',
    (client, signal) => client.multiLock([client.lock('free'), client.lock('taken')]).acquire({ signal }),
  ],
  ['a striped lock', (client, signal) => client.stripedLock('taken', 2).acquireAny({ signal })],
  ['permits', (client, signal) => client.semaphore('taken').acquire({ signal })],
  ['permits with ids', (client, signal) => client.permitExpirableSemaphore('taken').acquire({ signal })],
  ['a latch', (client, signal) => client.countDownLatch('taken').await({ signal })],
  ['computeOnce', (client, signal) => client.computeOnce('taken', never, { ttlMs: 1_000, signal })],
]

describe('faults B13: a signal without a reason ends', () => {
  test.each(calls)('%s', async (_, call) => {
    await client.lock('taken').acquire()
    await client.lock('once:taken').acquire()
    await client.readWriteLock('taken').writeLock().acquire()
    for (const index of [0, 1]) await client.stripedLock('taken', 2).stripe(index).acquire()
    await client.countDownLatch('taken').trySetCount(1)
    const { signal, abort } = oldSignal()
    const waiting = new Promise((resolve) => client.once('waiting', resolve))
    const calling = rejectionOf(call(client, signal))
    await waiting
    abort()
    expect(await calling).toMatchObject({ name: 'AbortError' })
    const before = client.metrics()
    expect(await rejectionOf(call(client, signal))).toMatchObject({ name: 'AbortError' })
    expect(client.metrics().failed).toBe(before.failed)
  })

  test('and says the same to all who ask, so that a trace shows a call that was cancelled', async () => {
    await client.lock('taken').acquire()
    const { signal, abort } = oldSignal()
    const outcomes: unknown[] = []
    const listener = (message: unknown): void => {
      if (message instanceof Object && 'outcome' in message) outcomes.push(message.outcome)
    }
    acquireChannel.asyncEnd.subscribe(listener)
    try {
      const waiting = new Promise((resolve) => client.once('waiting', resolve))
      const calls = [1, 2].map(() => rejectionOf(client.lock('taken').acquire({ signal })))
      await waiting
      abort()
      const [first, second] = await Promise.all(calls)
      expect(first).toBe(second)
    } finally {
      acquireChannel.asyncEnd.unsubscribe(listener)
    }
    expect(outcomes).toEqual(['cancelled', 'cancelled'])
  })

  test('a candidacy, and the watch of an election', async () => {
    const { signal, abort } = oldSignal()
    const term = await new Promise<AbortSignal>((resolve) => {
      client.leader('taken', { onElected: (term) => resolve(term.signal), signal })
    })
    const seen: unknown[] = []
    for await (const leader of client.leader('taken').watch({ signal })) {
      seen.push(leader)
      abort()
    }
    expect(seen).toHaveLength(1)
    expect(term.aborted).toBe(true)
  })

  test('what nobody could stop listening to is refused', async () => {
    const signal: object = { aborted: false, addEventListener: () => undefined }
    const isIt = (it: object): it is AbortSignal => it === signal
    if (!isIt(signal)) throw new TypeError()
    const acquiring = client.lock('free').acquire({ signal })
    expect(await rejectionOf(acquiring)).toMatchObject({ code: 'INVALID_ARGUMENT' })
  })
})
