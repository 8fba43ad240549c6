/** A proxy, a foreign script or a corrupt key gives replies of a shape that their commands never have: each command, each shape. */
import { inspect } from 'node:util'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Hold, type Holdfast, StoreError } from '../../src/index.js'
import { eventually } from '../setup/eventually.js'
import { calls, type Match, named } from './proxied-command.js'
import { Scene } from './scene.js'

const SHAPES: Readonly<Record<string, string>> = {
  nil: '$-1\r\n',
  text: '+junk\r\n',
  number: ':-77\r\n',
  map: '%1\r\n+a\r\n:1\r\n',
  'nested list': '*1\r\n*1\r\n:1\r\n',
  error: '-ERR junk\r\n',
  'NaN as text': '$3\r\nNaN\r\n',
  'NaN as number': ',nan\r\n',
  'huge number': ':9007199254740993\r\n',
  'list too short': '*0\r\n',
  'list too long': `*9\r\n${':1\r\n'.repeat(9)}`,
}

/** Whether the call comes to a result with that shape: it is one that its command may answer with. */
type Fits = readonly (keyof typeof SHAPES)[]

interface Case {
  readonly of: Match
  /** Before the replies are replaced. Gives the call whose command is answered so. */
  readonly make: (holdfast: Holdfast, name: string) => Promise<() => Promise<unknown>>
  readonly fits?: Fits
}

function asked(call: (holdfast: Holdfast, name: string) => Promise<unknown>): Case['make'] {
  return async (holdfast, name) => () => call(holdfast, name)
}

function releases(take: (holdfast: Holdfast, name: string) => Promise<Hold>): Case['make'] {
  return async (holdfast, name) => {
    const hold = await take(holdfast, name)
    return () => hold.release()
  }
}

async function takeSemaphore(holdfast: Holdfast, name: string): Promise<Hold> {
  await holdfast.semaphore(name).trySetPermits(2)
  return await holdfast.semaphore(name).acquire()
}

async function takePermit(holdfast: Holdfast, name: string): Promise<Hold> {
  await holdfast.permitExpirableSemaphore(name).trySetPermits(2)
  return await holdfast.permitExpirableSemaphore(name).acquire()
}

/** With permits set and one of them taken. */
function withPermit(
  take: typeof takePermit,
  call: (holdfast: Holdfast, name: string, hold: Hold) => Promise<unknown>,
): Case['make'] {
  return async (holdfast, name) => {
    const hold = await take(holdfast, name)
    return async () => {
      try {
        return await call(holdfast, name, hold)
      } finally {
        await hold.release().catch(() => undefined)
      }
    }
  }
}

function idOf(hold: Hold): string {
  return 'permitIds' in hold && Array.isArray(hold.permitIds) ? String(hold.permitIds[0]) : 'none'
}

const permits = (holdfast: Holdfast, name: string) => holdfast.permitExpirableSemaphore(name)

const cases: Readonly<Record<string, Case>> = {
  'lock: acquire': { of: calls('acquire'), make: asked((h, n) => h.lock(n).tryAcquire()) },
  'lock: release': { of: calls('release'), make: releases((h, n) => h.lock(n).acquire()) },
  'lock: inspect': { of: calls('inspect'), make: asked((h, n) => h.lock(n).isLocked()) },
  'lock: force unlock': { of: calls('forceUnlock'), make: asked((h, n) => h.lock(n).forceUnlock()) },
  'lock: waiting clients': {
    of: named('HKEYS'),
    make: asked((h, n) => h.lock(n).countWaitingClients()),
    fits: ['list too short'],
  },
  'fenced lock: acquire': { of: calls('acquire'), make: asked((h, n) => h.fencedLock(n).tryAcquire()) },
  'fair lock: acquire': { of: calls('acquire'), make: asked((h, n) => h.fairLock(n).tryAcquire()) },
  'spin lock: acquire': { of: calls('acquire'), make: asked((h, n) => h.spinLock(n).tryAcquire()) },
  'read lock: acquire': {
    of: calls('rwAcquire'),
    make: asked((h, n) => h.readWriteLock(n).readLock().tryAcquire()),
  },
  'write lock: acquire': {
    of: calls('rwAcquire'),
    make: asked((h, n) => h.readWriteLock(n).writeLock().tryAcquire()),
  },
  'write lock: release': {
    of: calls('rwRelease'),
    make: releases((h, n) => h.readWriteLock(n).writeLock().acquire()),
  },
  'read lock: inspect': {
    of: calls('rwInspect'),
    make: asked((h, n) => h.readWriteLock(n).readLock().isLocked()),
  },
  'read lock: force unlock': {
    of: calls('rwForceUnlock'),
    make: asked((h, n) => h.readWriteLock(n).readLock().forceUnlock()),
  },
  'semaphore: acquire': { of: calls('permitsAcquire'), make: asked((h, n) => h.semaphore(n).tryAcquire()) },
  'semaphore: release': { of: calls('permitsRelease'), make: releases(takeSemaphore) },
  'semaphore: available': {
    of: calls('permitsCount'),
    make: asked((h, n) => h.semaphore(n).availablePermits()),
  },
  'semaphore: drain': {
    of: calls('semaphoreDrain'),
    make: asked((h, n) => h.semaphore(n).drainPermits()),
    fits: ['number', 'huge number'],
  },
  'semaphore: set': { of: calls('permitsSet'), make: asked((h, n) => h.semaphore(n).trySetPermits(2)) },
  'semaphore: add': { of: calls('permitsAdd'), make: asked((h, n) => h.semaphore(n).addPermits(1)) },
  'permits: acquire': { of: calls('permitsAcquire'), make: asked((h, n) => permits(h, n).tryAcquire()) },
  'permits: release': { of: calls('permitsRelease'), make: releases(takePermit) },
  'permits: count': { of: calls('permitsCount'), make: asked((h, n) => permits(h, n).availablePermits()) },
  'permits: resize': { of: calls('permitsResize'), make: asked((h, n) => permits(h, n).setPermits(3)) },
  'permits: return': {
    of: calls('permitsReturn'),
    make: withPermit(takePermit, (h, n, hold) => permits(h, n).release(idOf(hold))),
  },
  'permits: update lease': {
    of: calls('permitsUpdateLease'),
    make: withPermit(takePermit, (h, n, hold) => permits(h, n).updateLeaseTime(idOf(hold), 5_000)),
  },
  'permits: lease time': {
    of: calls('permitsLeaseTime'),
    make: withPermit(takePermit, (h, n, hold) => permits(h, n).leaseMs(idOf(hold))),
  },
  'latch: set': { of: calls('latchSet'), make: asked((h, n) => h.countDownLatch(n).trySetCount(2)) },
  'latch: count down': {
    of: calls('latchCountDown'),
    make: asked((h, n) => h.countDownLatch(n).countDown()),
  },
  'latch: delete': { of: calls('latchDelete'), make: asked((h, n) => h.countDownLatch(n).delete()) },
  'latch: count': { of: named('GET'), make: asked((h, n) => h.countDownLatch(n).count()), fits: ['nil'] },
  'multi-lock: acquire': {
    of: calls('multiAcquire'),
    make: asked((h, n) => h.multiLock([h.lock(`${n}:1`), h.lock(`${n}:2`)]).tryAcquire()),
  },
  'computeOnce: read': {
    of: calls('computeOnceRead'),
    make: asked((h, n) => h.computeOnce(n, async () => 1, { ttlMs: 1_000 })),
    // A text and a number.
    fits: ['nil', 'map'],
  },
  'guarded value: read': { of: named('HMGET'), make: asked((h, n) => h.guardedValue(n).get()) },
  'guarded value: write': {
    of: calls('guardedWrite'),
    make: asked((h, n) => h.guardedValue(n).set('x', 1n)),
  },
}

/** Whose texts are another program's value, for all that anybody knows. */
const FOREIGN = new Set(['guarded value: write', 'latch: count'])

const takes: ReadonlyArray<readonly [Match, (holdfast: Holdfast, name: string) => Promise<Hold | null>]> = [
  [calls('acquire'), (h, n) => h.lock(n).tryAcquire()],
  [calls('rwAcquire'), (h, n) => h.readWriteLock(n).writeLock().tryAcquire()],
  [calls('permitsAcquire'), (h, n) => h.semaphore(n).tryAcquire()],
  [calls('permitsAcquire'), (h, n) => permits(h, n).tryAcquire()],
]

const held: ReadonlyArray<readonly [Match, (holdfast: Holdfast, name: string) => Promise<Hold>]> = [
  [calls('renew'), (h, n) => h.lock(n).acquire()],
  [calls('rwRenew'), (h, n) => h.readWriteLock(n).readLock().acquire()],
  [calls('semaphoreRenew'), takeSemaphore],
  [calls('permitsRenew'), takePermit],
]

describe('faults A1: replies that cannot be read', () => {
  let scene: Scene
  let holdfast: Holdfast
  let bystander: Hold

  beforeEach(async () => {
    scene = await Scene.standalone('ioredis-6')
    holdfast = scene.holdfast({ watchdogMs: 5_000, storeTimeoutMs: 200, lingerMs: 0 })
    bystander = await holdfast.lock(`bystander:${scene.name}`).acquire()
  })

  /** The client's other lock is renewed, and its signal works. */
  afterEach(async () => {
    scene.proxy.heal()
    bystander.assertHeld()
    await renewedOnce(holdfast, bystander.name)
    await scene.direct.del(bystander.name)
    await eventually(() => bystander.signal.aborted)
    await scene.end()
  })

  function garble(of: Match, name: string, bytes: string): void {
    const about: Match = (command) => command.words.some((word) => word.includes(name)) && of(command)
    scene.proxy.replaceReplies(about, bytes)
  }

  /** Each of these with each shape, all at once, under names of their own. */
  async function forEachShape<Each>(
    all: readonly Each[],
    run: (each: Each, shape: string, bytes: string, name: string) => Promise<void>,
  ): Promise<void> {
    const pairs = all.flatMap((each) => Object.entries(SHAPES).map((shape) => [each, ...shape] as const))
    await Promise.all(
      pairs.map(([each, shape, bytes], index) => run(each, shape, bytes, `<${index}>${scene.name}`)),
    )
  }

  test('every command, every shape: the call settles, and says so', async () => {
    const unexpected: string[] = []
    await forEachShape(
      Object.entries(cases),
      async ([title, { of, make, fits = [] }], shape, bytes, name) => {
        const call = await make(holdfast, name)
        garble(of, name, bytes)
        const outcome = await outcomeOf(call())
        const expected = shape === 'error' ? ['script'] : ['unreadable']
        if (FOREIGN.has(title)) expected.push('wrong-type')
        if (!fits.includes(shape) && !expected.includes(outcome))
          unexpected.push(`${title}, ${shape}: ${outcome}`)
      },
    )
    expect(unexpected).toEqual([])
  })

  test('nothing is granted, and what the server had granted is given back', async () => {
    const other = scene.holdfast({ lingerMs: 0 }, { proxied: false })
    await forEachShape(takes, async ([of, take], shape, bytes, name) => {
      if (of === takes[2]?.[0]) await other.semaphore(name).trySetPermits(1)
      if (of === takes[3]?.[0]) await permits(other, name).trySetPermits(1)
      garble(of, name, bytes)
      expect(await outcomeOf(take(holdfast, name))).toBe(shape === 'error' ? 'script' : 'unreadable')
      // The server's own errors mean that nothing was done.
      if (shape === 'error') return
      const hold = await eventually(
        () => take(other, name),
        (got) => got !== null,
      )
      await hold?.release()
    })
  })

  test('a renewal is tried again, and nothing is lost', async () => {
    const holds: Hold[] = []
    const suspended: Promise<void>[] = []
    await forEachShape(held, async ([of, take], _shape, bytes, name) => {
      garble(of, name, bytes)
      suspended.push(toldOf(holdfast, 'suspended', name))
      holds.push(await take(holdfast, name))
    })
    await Promise.all(suspended)
    scene.proxy.heal()
    await Promise.all(holds.map(({ name }) => renewedOnce(holdfast, name)))
    for (const hold of holds) hold.assertHeld()
    await Promise.all(holds.map((hold) => hold.release()))
  })

  test('a renewal that is never read: the loss is told when the lease has ended', async () => {
    await forEachShape(held, async ([of, take], _shape, bytes, name) => {
      garble(of, name, bytes)
      const hold = await take(holdfast, name)
      await eventually(() => hold.signal.aborted)
      expect(hold.signal.reason).toMatchObject({ code: 'LOCK_LOST', reason: 'lease-expired' })
    })
  })

  test('the error tells the type that was found, and not the value', async () => {
    const { name } = scene
    garble(calls('acquire'), name, '+the secret of another\r\n')
    const failure = await failureOf(holdfast.lock(name).acquire({ waitMs: 5_000 }))
    const told = { code: 'STORE_ERROR', reason: 'unreadable', transient: true, lockName: name }
    expect(failure).toMatchObject(told)
    expect(String(failure)).toContain('the answer is a text')
    expect(inspect(failure, { depth: 9, showHidden: true })).not.toContain('secret')
    scene.proxy.heal()
    await (await holdfast.lock(name).acquire({ waitMs: 5_000 })).release()
  })
})

async function failureOf(call: Promise<unknown>): Promise<unknown> {
  return await call.then(
    () => new Error('it did not fail'),
    (error: unknown) => error,
  )
}

async function outcomeOf(call: Promise<unknown>): Promise<string> {
  const come = await call.then(
    (result) => `resolved with ${result === null ? 'null' : typeof result}`,
    (error: unknown) => error,
  )
  return come instanceof StoreError ? come.reason : String(come)
}

function toldOf(holdfast: Holdfast, event: 'suspended' | 'renewed', name: string): Promise<void> {
  return new Promise((resolve) => {
    holdfast.on(event, (told) => {
      if (told.name === name) resolve()
    })
  })
}

function renewedOnce(holdfast: Holdfast, name: string): Promise<void> {
  return toldOf(holdfast, 'renewed', name)
}
