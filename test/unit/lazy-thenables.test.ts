/** Queries of an ORM: thenables that begin their work when somebody awaits them. Prisma's, Knex's and Mongoose's are such. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { beforeEach, describe, expect, test } from 'vitest'
import { Holdfast, type Lock } from '../../src/index.js'
import { holdChannel } from '../../src/observe/trace/hold.js'
import { MemoryStore } from '../../src/stores/memory/index.js'
import { duringEach } from '../setup/during.js'

/** Runs `work` each time that it is awaited, like a query builder; some extend Promise. */
class Query<Value> implements PromiseLike<Value> {
  constructor(private readonly work: () => Promise<Value>) {}

  // biome-ignore lint/suspicious/noThenProperty: a thenable is the subject.
  then<One = Value, Other = never>(
    onValue?: ((value: Value) => One | PromiseLike<One>) | null,
    onError?: ((reason: unknown) => Other | PromiseLike<Other>) | null,
  ): Promise<One | Other> {
    return this.work().then(onValue, onError)
  }
}

class LazyPromise<Value> extends Promise<Value> {
  static of<Value>(work: () => Promise<Value>): LazyPromise<Value> {
    const lazy = new LazyPromise<Value>(() => undefined)
    lazy.#work = work
    return lazy
  }

  static override get [Symbol.species](): PromiseConstructor {
    return Promise
  }

  #work: (() => Promise<Value>) | undefined

  // biome-ignore lint/suspicious/noThenProperty: as above.
  override then<One = Value, Other = never>(
    onValue?: ((value: Value) => One | PromiseLike<One>) | null,
    onError?: ((reason: unknown) => Other | PromiseLike<Other>) | null,
  ): Promise<One | Other> {
    return (this.#work?.() ?? Promise.reject(new TypeError('no work'))).then(onValue, onError)
  }
}

let lock: Lock
const holdfast = duringEach(() => new Holdfast(new MemoryStore()))
beforeEach(() => {
  lock = holdfast.lock('row')
})

/** Who runs it: an owner that takes the lock again at once, if it is the one that has it. */
const nested = async (): Promise<string> => {
  const hold = await lock.acquire({ waitMs: 0 })
  await hold.release()
  return hold.owner
}

const thenables: ReadonlyArray<readonly [string, (work: () => Promise<string>) => PromiseLike<string>]> = [
  ['a thenable', (work) => new Query(work)],
  ['a promise that is lazy', (work) => LazyPromise.of(work)],
]

describe.each(thenables)(
  'faults B14: %s that a function of the user returns runs in its section',
  (_, lazy) => {
    test('withLock', async () => {
      let owner: string | undefined
      expect(
        await lock.withLock((hold) => {
          owner = hold.owner
          return lazy(nested)
        }),
      ).toBe(owner)
    })

    test('hold.run, also of a multi-lock, and its section', async () => {
      const hold = await lock.acquire()
      expect(await hold.run(() => lazy(nested))).toBe(hold.owner)
      await hold.release()
      const several = holdfast.multiLock([lock, holdfast.lock('other')])
      const holds = await several.acquire()
      expect(await holds.run(() => lazy(nested))).toBe(holds.owner)
      await holds.release()
      await several.withLock(() => lazy(nested))
      await holdfast.stripedLock('rows', 1).withAny(() => lazy(nested))
    })

    test('a multi-lock with locks of two clients', async () => {
      const elsewhere = new Holdfast(new MemoryStore())
      const several = holdfast.multiLock([lock, elsewhere.lock('other')])
      const both = async (): Promise<string> => {
        await elsewhere.lock('other').withLock({ waitMs: 0 }, () => undefined)
        return nested()
      }
      await several.withLock(() => lazy(both))
      const hold = await several.acquire()
      await hold.run(() => lazy(both))
      await hold.release()
      await elsewhere.close()
    })

    test('holdfast.run', async () => {
      const twice = async (): Promise<string> => {
        await lock.lock()
        await lock.unlock()
        return 'done'
      }
      expect(await holdfast.run(() => lazy(twice))).toBe('done')
    })

    test('job, computeOnce', async () => {
      await holdfast.job('row', { atLeastMs: 0, atMostMs: 60_000 }, () => lazy(async () => 'ran'))
      const computed = holdfast.computeOnce('key', ({ owner }) => lazy(async () => owner + (await again())), {
        ttlMs: 1_000,
      })
      const again = async (): Promise<string> => holdfast.lock('once:key').withLock({ waitMs: 0 }, () => '')
      expect(await computed).toContain(':')
    })

    test('onElected and onRevoked of a leader: each may resign', async () => {
      const told: string[] = []
      const election = holdfast.leader('row', {
        onElected: (term) =>
          lazy(async () => {
            await term.resign()
            told.push('elected')
            return ''
          }),
        onRevoked: () =>
          lazy(async () => {
            await election.stop()
            told.push('revoked')
            return ''
          }),
      })
      await expect.poll(() => told).toEqual(expect.arrayContaining(['elected', 'revoked']))
      await election.stop()
    })

    test('what a tracer binds to a hold, in a section of permits too', async () => {
      const spans = new AsyncLocalStorage<string>()
      holdChannel.start.bindStore(spans, ({ name }) => name)
      try {
        const semaphore = holdfast.semaphore('pool')
        await semaphore.trySetPermits(1)
        const span = (): PromiseLike<string> => lazy(async () => spans.getStore() ?? 'none')
        expect(await semaphore.withPermits(span)).toBe('pool')
        expect(await lock.withLock(span)).toBe('row')
      } finally {
        holdChannel.start.unbindStore(spans)
      }
    })
  },
)
