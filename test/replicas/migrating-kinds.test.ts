/** Kinds of several keys in a cluster while their slot moves to another node: nothing is done by halves, and all goes on when it has moved. */
import { describe, expect, test } from 'vitest'
import { Latch } from '../../src/conformance/latch.js'
import type { CountDownLatch, Hold, Holdfast, HoldfastOptions } from '../../src/index.js'
import { holdsKeyOf } from '../../src/stores/redis/keys/read-write-keys.js'
import { slotOf } from '../../src/stores/redis/keys/slot.js'
import { eventsOf } from '../fault/heard.js'
import { takes } from '../fault/takes.js'
import { duringAll } from '../setup/during.js'
import { eventually } from '../setup/eventually.js'
import { lasting } from '../setup/lasting.js'
import { MovableCluster } from './slot-move.js'

const place = duringAll(() => MovableCluster.bring())
const holdfast = (options: HoldfastOptions = {}): Holdfast => place.holdfast(options)

/** What somebody does while the slot is on its way. */
interface Scene {
  /** Resolves when it has been done. */
  readonly act: () => Promise<unknown>
  /** Resolves when it has had its whole effect, and no other; fails where it had not. */
  readonly seen: () => Promise<unknown>
  /** For how long the slot stays on its way. Default: 400. */
  readonly meanwhileMs?: number
}

type Setting = (near: Holdfast, far: Holdfast, name: string) => Promise<Scene>

type PermitsKind = 'semaphore' | 'permitExpirableSemaphore'

/** The only permit is taken, and another process waits for one: what lets it in, and how many there are in the end. */
function waitedFor(
  kind: PermitsKind,
  act: (near: Holdfast, name: string, hold: Hold) => Promise<unknown>,
  left: number,
): Setting {
  return async (near, far, name) => {
    const semaphore = near[kind](name)
    await semaphore.trySetPermits(1)
    const hold = await semaphore.acquire({ leaseMs: 60_000 })
    const waiting = far[kind](name).acquire()
    await eventually(() => semaphore.countWaitingClients())
    return {
      act: () => act(near, name, hold),
      seen: async () => {
        // What has been released already is not released again.
        await Promise.all([hold.release(), (await waiting).release()])
        expect(await semaphore.availablePermits()).toBe(left)
        if ('acquiredPermits' in semaphore) expect(await semaphore.acquiredPermits()).toBe(0)
      },
    }
  }
}

/** Another process waits for a latch with a count of two: what opens it. */
function opened(act: (latch: CountDownLatch) => Promise<unknown>): Setting {
  return async (near, far, name) => {
    const latch = near.countDownLatch(name)
    await latch.trySetCount(2)
    const waiting = far.countDownLatch(name).await()
    await eventually(() => latch.countWaitingClients())
    return { act: () => act(latch), seen: () => waiting }
  }
}

const settings: Readonly<Record<string, Setting>> = {
  'semaphore: a release somebody waits for': waitedFor(
    'semaphore',
    (_near, _name, hold) => hold.release(),
    1,
  ),
  'permits with ids: a release somebody waits for': waitedFor(
    'permitExpirableSemaphore',
    (_near, _name, hold) => hold.release(),
    1,
  ),
  'semaphore: permits are added, which somebody waits for': waitedFor(
    'semaphore',
    (near, name) => near.semaphore(name).addPermits(1),
    2,
  ),
  'permits with ids: the number is changed, and waited for': waitedFor(
    'permitExpirableSemaphore',
    (near, name) => near.permitExpirableSemaphore(name).setPermits(2),
    2,
  ),
  'semaphore: acquired and released': async (near, far, name) => {
    const semaphore = near.semaphore(name, 2)
    const hold = await semaphore.acquire()
    return {
      act: () => far.semaphore(name).withPermits(() => undefined),
      seen: async () => {
        expect(await semaphore.availablePermits()).toBe(1)
        await hold.release()
        expect(await semaphore.availablePermits()).toBe(2)
      },
    }
  },
  'semaphore: the number is set, which somebody waits for': async (near, far, name) => {
    const semaphore = near.semaphore(name)
    const waiting = far.semaphore(name).acquire()
    await eventually(() => semaphore.countWaitingClients())
    return {
      act: async () => expect(await semaphore.trySetPermits(3)).toBe(true),
      seen: async () => {
        await (await waiting).release()
        expect(await semaphore.availablePermits()).toBe(3)
      },
    }
  },
  'semaphore: what is available is taken for good': async (near, far, name) => {
    const semaphore = near.semaphore(name, 5)
    const hold = await semaphore.acquire({ permits: 2 })
    return {
      act: async () => expect(await far.semaphore(name).drainPermits()).toBe(3),
      seen: async () => {
        await hold.release()
        expect(await semaphore.availablePermits()).toBe(2)
      },
    }
  },
  'permits with ids: given back by id, which somebody waits for': async (near, far, name) => {
    const semaphore = near.permitExpirableSemaphore(name, 1)
    const hold = await semaphore.acquire({ leaseMs: 60_000 })
    const waiting = far.permitExpirableSemaphore(name).acquire()
    await eventually(() => semaphore.countWaitingClients())
    const [id = ''] = hold.permitIds
    return {
      act: () => far.permitExpirableSemaphore(name).release(id),
      seen: async () => {
        await (await waiting).release()
        expect(await semaphore.availablePermits()).toBe(1)
      },
    }
  },
  'permits with ids: counted when the last lease has ended': async (near, far, name) => {
    const semaphore = near.permitExpirableSemaphore(name, 1)
    const lost = new Promise((resolve) => near.once('lost', resolve))
    await semaphore.acquire({ leaseMs: 200 })
    return {
      act: async () => {
        await lost
        // By the server's clock it ends a little later than by the holder's.
        await eventually(async () => (await far.permitExpirableSemaphore(name).inspect()).owners.length === 0)
        expect(await semaphore.availablePermits()).toBe(1)
      },
      seen: async () => expect(await semaphore.acquiredPermits()).toBe(0),
    }
  },
  'latch: counted down, which somebody waits for': opened(async (latch) => {
    expect(await latch.countDown()).toBe(1)
    expect(await latch.countDown()).toBe(0)
  }),
  'latch: deleted, which somebody waits for': opened(async (latch) =>
    expect(await latch.delete()).toBe(true),
  ),
  'latch: set': async (near, far, name) => {
    const latch = near.countDownLatch(name)
    return {
      act: async () => expect(await latch.trySetCount(2)).toBe(true),
      seen: async () => expect(await far.countDownLatch(name).count()).toBe(2),
    }
  },
  'fenced lock: a release somebody waits for': async (near, far, name) => {
    const hold = await near.fencedLock(name).acquire()
    const waiting = far.fencedLock(name).acquire()
    await eventually(() => near.fencedLock(name).countWaitingClients())
    return {
      act: () => hold.release(),
      seen: async () => {
        const next = await waiting
        expect(next.fence).toBeGreaterThan(hold.fence ?? 0n)
        await next.release()
        expect(await near.fencedLock(name).isLocked()).toBe(false)
      },
    }
  },
  'computeOnce: a computation that others wait for': async (near, far, name) => {
    const key = name.slice('once:'.length)
    const finish = new Latch()
    let computations = 0
    const compute = async (): Promise<number> => {
      computations += 1
      await finish.opened
      return 42
    }
    const options = { ttlMs: 60_000 }
    const first = near.computeOnce(key, compute, options)
    await eventually(() => computations)
    const second = far.computeOnce(key, compute, options)
    await eventually(() => near.lock(name).countWaitingClients())
    return {
      // The client library gives a command up after at most 1.6 seconds.
      meanwhileMs: 2_500,
      act: async () => {
        finish.open()
        expect(await first).toBe(42)
      },
      seen: async () => {
        expect(await second).toBe(42)
        expect(computations).toBe(1)
      },
    }
  },
  'multi-lock: released and taken': async (near, far, name) => {
    const locks = (made: Holdfast) => made.multiLock([made.lock(name), made.lock(`${name}:second`)])
    const hold = await locks(near).acquire()
    const waiting = locks(far).acquire()
    await eventually(() => near.lock(name).countWaitingClients())
    return {
      act: () => hold.release(),
      seen: async () => {
        await (await waiting).release()
        expect(await near.lock(name).isLocked()).toBe(false)
        expect(await near.lock(`${name}:second`).isLocked()).toBe(false)
      },
    }
  },
}

const states: Readonly<Record<string, (keys: readonly string[], name: string) => readonly string[]>> = {
  'nothing has moved yet': () => [],
  'the thing itself has moved, what is beside it has not': (_, name) => [name],
  'what is beside it has moved, the thing itself has not': (keys, name) => keys.filter((key) => key !== name),
  'all keys have moved': (keys) => keys,
}

/** Long enough for an attempt, and for what the client library does about a slot on its way. */
async function attempted(acting: Promise<unknown> | undefined, withinMs: number): Promise<void> {
  acting?.catch(() => undefined)
  await Promise.race([acting, new Promise((resolve) => setTimeout(resolve, withinMs))])
}

let names = 0

describe.each(Object.keys(states))('H27: a slot on its way, %s', (state) => {
  test.each(Object.keys(settings))('%s', async (what) => {
    names += 1
    const name = `${what.startsWith('computeOnce') ? 'once:' : ''}{moving-${names}}:name`
    const scene = await settings[what]?.(holdfast(), holdfast(), name)
    const move = await place.move(name)
    const keys = await move.keys()
    await move.take((states[state]?.(keys, name) ?? []).filter((key) => keys.includes(key)))
    const acting = scene?.act()
    await attempted(acting, scene?.meanwhileMs ?? 400)
    await move.finish()
    await acting
    await scene?.seen()
  })
})

describe.each(['nothing has moved yet', 'all keys have moved'])(
  'H27: a slot that stays on its way, %s',
  (state) => {
    test.each(['lock', 'fencedLock', 'semaphore', 'permitExpirableSemaphore'] as const)(
      '%s: what is held is renewed',
      async (kind) => {
        names += 1
        const name = `{staying-${names}}:name`
        const made = holdfast({ watchdogMs: lasting(1_500) })
        const hold = await takes[kind](made, name)
        const move = await place.move(name)
        await move.take(states[state]?.(await move.keys(), name) ?? [])
        const renewals = eventsOf(made, ['renewed'])
        // More than the lease that was left when the move began.
        await eventually(() => renewals.length >= 5)
        hold.assertHeld()
        await move.finish()
        await hold.release()
      },
    )
  },
)

/** Whether there is a line in the slot of that key. */
async function inLine(key: string): Promise<boolean> {
  const ask = ['GETKEYSINSLOT', slotOf(key), 100] as const
  const keys = await Promise.all(place.nodes.map((node) => node.call('CLUSTER', ...ask)))
  return keys.flat().some((each) => String(each).includes('_line'))
}

describe.each([
  ['fairLock', (name: string) => name],
  ['writeLock', holdsKeyOf],
  ['readLock', holdsKeyOf],
] as const)('H27: %s', (kind, keyOf) => {
  test.each(['nothing has moved yet', 'the lock itself has moved, what is beside it has not'])(
    'a release with a waiter in line, while %s: done when the slot has moved, and not by halves',
    async (state) => {
      const name = `migrating-${kind}-${state.length}`
      const key = keyOf(name)
      const [near, far] = [holdfast(), holdfast()]
      const hold = await takes[kind](near, name)
      const waiting = kind === 'fairLock' ? far.fairLock(name) : far.readWriteLock(name).writeLock()
      let next: Hold | undefined
      const wait = waiting.acquire().then((granted) => {
        next = granted
      })
      // The line is there, and the waiter hears of what happens.
      await eventually(() => waiting.countWaitingClients())
      await eventually(() => inLine(key))
      const move = await place.move(key)
      if (state.startsWith('the lock')) await move.take([key])
      const before = await move.raw(key).catch(() => undefined)
      let released = false
      const releasing = hold.release().then(() => {
        released = true
      })
      await attempted(releasing, 1_000)
      expect(released).toBe(false)
      expect(await move.raw(key).catch(() => undefined)).toEqual(before)
      expect(next).toBeUndefined()
      await move.finish()
      await releasing
      await wait
      await next?.release()
    },
  )
})
