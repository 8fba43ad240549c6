/** A proxy, a foreign script or a corrupt key gives replies of a shape that their commands never have: each command, each shape. */
import { inspect } from 'node:util'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { rejectionOf } from '../../src/conformance/outcome.js'
import { type Hold, type Holdfast, StoreError } from '../../src/index.js'
import type * as scripts from '../../src/stores/redis/scripts/scripts.generated.js'
import { eventually } from '../setup/eventually.js'
import { calls, type Match, named } from './proxied-command.js'
import { Scene } from './scene.js'
import { type Take, takes } from './takes.js'

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

type Make = (holdfast: Holdfast, name: string) => Promise<unknown>

interface Case {
  readonly of: Match
  /** Before the replies are replaced. Gives the call whose command is answered so. */
  readonly make: (holdfast: Holdfast, name: string) => Promise<() => Promise<unknown>>
  readonly fits: Fits
}

function asked(of: Match | keyof typeof scripts, call: Make, ...fits: Fits): Case {
  const match = typeof of === 'string' ? calls(of) : of
  return { of: match, make: async (holdfast, name) => () => call(holdfast, name), fits }
}

function released(of: keyof typeof scripts, take: Take): Case {
  return {
    of: calls(of),
    make: async (holdfast, name) => {
      const hold = await take(holdfast, name)
      return () => hold.release()
    },
    fits: [],
  }
}

const permits = (holdfast: Holdfast, name: string) => holdfast.permitExpirableSemaphore(name)

/** With permits set and one of them taken. */
function ofPermit(
  of: keyof typeof scripts,
  call: (semaphore: ReturnType<typeof permits>, id: string) => Promise<unknown>,
): Case {
  return {
    of: calls(of),
    make: async (holdfast, name) => {
      const hold = await holdfast.permitExpirableSemaphore(name, 2).acquire()
      return () =>
        call(permits(holdfast, name), String(hold.permitIds[0])).finally(() =>
          hold.release().catch(() => undefined),
        )
    },
    fits: [],
  }
}

const cases: Readonly<Record<string, Case>> = {
  'lock: acquire': asked('acquire', (h, n) => h.lock(n).tryAcquire()),
  'lock: release': released('release', takes.lock),
  'lock: inspect': asked('inspect', (h, n) => h.lock(n).isLocked()),
  'lock: force unlock': asked('forceUnlock', (h, n) => h.lock(n).forceUnlock()),
  'lock: waiting clients': asked(named('HKEYS'), (h, n) => h.lock(n).countWaitingClients(), 'list too short'),
  'fenced lock: acquire': asked('acquire', (h, n) => h.fencedLock(n).tryAcquire()),
  'fair lock: acquire': asked('acquire', (h, n) => h.fairLock(n).tryAcquire()),
  'spin lock: acquire': asked('acquire', (h, n) => h.spinLock(n).tryAcquire()),
  'read lock: acquire': asked('rwAcquire', (h, n) => h.readWriteLock(n).readLock().tryAcquire()),
  'write lock: acquire': asked('rwAcquire', (h, n) => h.readWriteLock(n).writeLock().tryAcquire()),
  'write lock: release': released('rwRelease', takes.writeLock),
  'read lock: inspect': asked('rwInspect', (h, n) => h.readWriteLock(n).readLock().isLocked()),
  'read lock: force unlock': asked('rwForceUnlock', (h, n) => h.readWriteLock(n).readLock().forceUnlock()),
  'semaphore: acquire': asked('permitsAcquire', (h, n) => h.semaphore(n).tryAcquire()),
  'semaphore: release': released('permitsRelease', takes.semaphore),
  'semaphore: available': asked('permitsCount', (h, n) => h.semaphore(n).availablePermits()),
  'semaphore: drain': asked(
    'semaphoreDrain',
    (h, n) => h.semaphore(n).drainPermits(),
    'number',
    'huge number',
  ),
  'semaphore: set': asked('permitsSet', (h, n) => h.semaphore(n).trySetPermits(2)),
  'semaphore: add': asked('permitsAdd', (h, n) => h.semaphore(n).addPermits(1)),
  'permits: acquire': asked('permitsAcquire', (h, n) => permits(h, n).tryAcquire()),
  'permits: release': released('permitsRelease', takes.permitExpirableSemaphore),
  'permits: count': asked('permitsCount', (h, n) => permits(h, n).availablePermits()),
  'permits: resize': asked('permitsResize', (h, n) => permits(h, n).setPermits(3)),
  'permits: return': ofPermit('permitsReturn', (semaphore, id) => semaphore.release(id)),
  'permits: update lease': ofPermit('permitsUpdateLease', (semaphore, id) =>
    semaphore.updateLeaseTime(id, 5_000),
  ),
  'permits: lease time': ofPermit('permitsLeaseTime', (semaphore, id) => semaphore.leaseMs(id)),
  'latch: set': asked('latchSet', (h, n) => h.countDownLatch(n).trySetCount(2)),
  'latch: count down': asked('latchCountDown', (h, n) => h.countDownLatch(n).countDown()),
  'latch: delete': asked('latchDelete', (h, n) => h.countDownLatch(n).delete()),
  'latch: count': asked(named('GET'), (h, n) => h.countDownLatch(n).count(), 'nil'),
  'multi-lock: acquire': asked('multiAcquire', (h, n) =>
    h.multiLock([h.lock(`${n}:1`), h.lock(`${n}:2`)]).tryAcquire(),
  ),
  // A text and a number.
  'computeOnce: read': asked(
    'computeOnceRead',
    (h, n) => h.computeOnce(n, async () => 1, { ttlMs: 1_000 }),
    'nil',
    'map',
  ),
  'guarded value: read': asked(named('HMGET'), (h, n) => h.guardedValue(n).get()),
  'guarded value: write': asked('guardedWrite', (h, n) => h.guardedValue(n).set('x', 1n)),
}

/** Whose texts are another program's value, for all that anybody knows. */
const FOREIGN = new Set(['guarded value: write', 'latch: count'])

const attempts: ReadonlyArray<readonly [Match, (holdfast: Holdfast, name: string) => Promise<Hold | null>]> =
  [
    [calls('acquire'), (h, n) => h.lock(n).tryAcquire()],
    [calls('rwAcquire'), (h, n) => h.readWriteLock(n).writeLock().tryAcquire()],
    [calls('permitsAcquire'), (h, n) => h.semaphore(n, 1).tryAcquire()],
    [calls('permitsAcquire'), (h, n) => h.permitExpirableSemaphore(n, 1).tryAcquire()],
  ]

const held: ReadonlyArray<readonly [Match, Take]> = [
  [calls('renew'), takes.lock],
  [calls('rwRenew'), takes.readLock],
  [calls('semaphoreRenew'), takes.semaphore],
  [calls('permitsRenew'), takes.permitExpirableSemaphore],
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
    await forEachShape(Object.entries(cases), async ([title, { of, make, fits }], shape, bytes, name) => {
      const call = await make(holdfast, name)
      garble(of, name, bytes)
      const outcome = await outcomeOf(call())
      const expected = shape === 'error' ? ['script'] : ['unreadable']
      if (FOREIGN.has(title)) expected.push('wrong-type')
      if (!fits.includes(shape) && !expected.includes(outcome))
        unexpected.push(`${title}, ${shape}: ${outcome}`)
    })
    expect(unexpected).toEqual([])
  })

  test('nothing is granted, and what the server had granted is given back', async () => {
    const other = scene.holdfast({ lingerMs: 0 }, { proxied: false })
    await forEachShape(attempts, async ([of, take], shape, bytes, name) => {
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
    const failure = await rejectionOf(holdfast.lock(name).acquire({ waitMs: 5_000 }))
    const told = { code: 'STORE_ERROR', reason: 'unreadable', transient: true, lockName: name }
    expect(failure).toMatchObject(told)
    expect(String(failure)).toContain('the answer is a text')
    expect(inspect(failure, { depth: 9, showHidden: true })).not.toContain('secret')
    scene.proxy.heal()
    await (await holdfast.lock(name).acquire({ waitMs: 5_000 })).release()
  })
})

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
