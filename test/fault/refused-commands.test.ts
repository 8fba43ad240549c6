import { setTimeout as pause } from 'node:timers/promises'
import { Redis } from 'ioredis5'
import { afterEach, describe, expect, inject, test } from 'vitest'
import { type Hold, LockLostError, LockTimeoutError, StoreError } from '../../src/index.js'
import { bringServer } from '../servers/index.js'
import { duringAll, duringEach } from '../setup/during.js'
import { eventually } from '../setup/eventually.js'
import { lasting } from '../setup/lasting.js'
import { later } from '../setup/later.js'
import { eventsOf } from './heard.js'
import { NOTHING, Scene } from './scene.js'

/** How much later than its bound a call may end on a busy machine. */
const SLACK_MS = 1_500

const server = duringAll(() =>
  bringServer({ flavour: inject('servers').flavour, args: ['--busy-reply-threshold', '100'] }),
)
const scene = duringEach(() => Scene.standalone(undefined, server))

describe('a full server that may not evict', () => {
  afterEach(() => scene.direct.call('CONFIG', 'SET', 'maxmemory', '0'))
  const fill = (): Promise<unknown> => scene.direct.call('CONFIG', 'SET', 'maxmemory', '1')

  test('refuses an acquire at once, and leaves nothing', async () => {
    const lock = scene.holdfast().lock(scene.name)
    await fill()
    const refusal = { code: 'STORE_ERROR', reason: 'out-of-memory', transient: false, lockName: scene.name }
    await expect(lock.acquire()).rejects.toMatchObject(refusal)
    await expect(lock.tryAcquire()).rejects.toMatchObject(refusal)
    await scene.nothingLeft()
  })

  test('takes releases, partial ones too, and renews', async () => {
    const holdfast = scene.holdfast({ watchdogMs: lasting(1_800) })
    const lock = holdfast.lock(scene.name)
    const heard = eventsOf(holdfast, ['renewed', 'suspended', 'lost', 'error'])
    const outer = await lock.acquire()
    const inner = await lock.acquire({ owner: outer.owner })
    await fill()
    // Redis lets a script go on that has written before it needs room: whether it has to is a matter of time here.
    const third: unknown = await lock.acquire({ owner: outer.owner }).catch((reason: unknown) => reason)
    if (third instanceof StoreError) expect(third.reason).toBe('out-of-memory')
    expect(await scene.holds()).toEqual({ [outer.owner]: third instanceof StoreError ? '2' : '3' })
    await eventually(() => heard.includes('renewed'))
    if (isHold(third)) await third.release()
    await inner.release()
    outer.assertHeld()
    await outer.release()
    expect(await scene.holds()).toEqual({})
    expect(heard.filter((event) => event !== 'renewed')).toEqual([])
    await scene.nothingLeft()
  })
})

describe('a read-only replica', () => {
  // Of a primary that is not there: it keeps its data and takes no writes.
  const demote = (): Promise<unknown> => scene.direct.call('REPLICAOF', '127.0.0.1', '1')
  const promote = (): Promise<unknown> => scene.direct.call('REPLICAOF', 'NO', 'ONE')
  afterEach(() => promote())

  test('refuses an acquire: at once, or when the time for the store or the wait is up', async () => {
    const lock = scene.holdfast({ storeTimeoutMs: 400 }).lock(scene.name)
    await demote()
    const refusal = { code: 'STORE_ERROR', reason: 'read-only', transient: true }
    await expect(lock.tryAcquire()).rejects.toMatchObject(refusal)
    const startedAt = performance.now()
    await expect(lock.acquire()).rejects.toMatchObject(refusal)
    await expect(lock.acquire({ waitMs: 200 })).rejects.toSatisfy(
      (error) =>
        error instanceof LockTimeoutError &&
        error.cause instanceof StoreError &&
        error.cause.reason === 'read-only',
    )
    expect(performance.now() - startedAt).toBeLessThan(400 + 200 + SLACK_MS)
    await promote()
    await scene.nothingLeft()
  })
})

describe('a key of the wrong type', () => {
  afterEach(() => scene.direct.del(scene.name))
  const wrongType = { code: 'STORE_ERROR', reason: 'wrong-type', transient: false }

  test('that appears under a hold is not touched by the release, nor by a question', async () => {
    const holdfast = scene.holdfast()
    const hold = await holdfast.lock(scene.name).acquire()
    await scene.direct.set(scene.name, 'mine')
    await expect(hold.release()).rejects.toMatchObject(wrongType)
    await expect(holdfast.lock(scene.name).isLocked()).rejects.toMatchObject(wrongType)
    expect(await scene.direct.get(scene.name)).toBe('mine')
    await eventually(() => JSON.stringify(holdfast.census) === JSON.stringify(NOTHING))
  })

  test('that appears under a waiter ends its wait', async () => {
    const hold = await scene.holdfast().lock(scene.name).acquire({ leaseMs: 60_000 })
    const waiter = scene.holdfast()
    const outcome = later(expect(waiter.lock(scene.name).acquire()).rejects.toMatchObject(wrongType))
    const channel = await eventually(async () => (await scene.channels())[0] ?? '')
    await scene.direct.set(scene.name, 'mine')
    await scene.direct.publish(channel, '0')
    await outcome
    await eventually(() => JSON.stringify(waiter.census) === JSON.stringify(NOTHING))
    await expect(hold.release()).rejects.toMatchObject(wrongType)
  })
})

describe('a key that is forbidden by and by', () => {
  afterEach(() => scene.direct.call('ACL', 'SETUSER', 'default', 'allkeys'))

  test("L4: the failing renewal of one lock delays no other lock's", async () => {
    const other = `${scene.name}:other`
    const holdfast = scene.holdfast({ watchdogMs: lasting(2_400) })
    const bad = await holdfast.lock(scene.name).acquire()
    const good = await holdfast.lock(other).acquire()
    const badHeard = eventsOf(holdfast, ['suspended', 'renewed', 'lost'], scene.name)
    const goodHeard = eventsOf(holdfast, ['suspended', 'renewed', 'lost'], other)
    const badLost = new Promise((resolve) => holdfast.once('lost', resolve))
    await scene.direct.call('ACL', 'SETUSER', 'default', 'resetkeys', `~${other}`)
    expect(await badLost).toMatchObject({ owner: bad.owner, reason: 'lease-expired' })
    expect(badHeard).toEqual(['suspended', 'lost'])
    // Two thirds of the lease have passed at least, with a renewal at each.
    expect(goodHeard.length).toBeGreaterThanOrEqual(2)
    expect(new Set(goodHeard)).toEqual(new Set(['renewed']))
    good.assertHeld()
    expect(() => bad.assertHeld()).toThrow(LockLostError)
    await expect(bad.release()).rejects.toBeInstanceOf(LockLostError)
    await good.release()
    await scene.direct.call('ACL', 'SETUSER', 'default', 'allkeys')
    await scene.direct.del(scene.name)
    await scene.nothingLeft()
  })
})

describe('a server that is busy with a script', () => {
  test('W5: a wait ends in time; when the script is gone, the next one is granted', async () => {
    const lock = scene.holdfast({ commandTimeoutMs: 2_000 }).lock(scene.name)
    await lock.isLocked()
    const busy = new Redis({ host: server.host, port: server.port })
    const script = later(expect(busy.call('EVAL', 'while true do end', 0)).rejects.toThrow(/kill/i))
    // From now on the server answers, but only to say so.
    await eventually(async () => {
      return (await scene.direct.ping().catch((error: unknown) => String(error))).includes('BUSY')
    })
    const startedAt = performance.now()
    await expect(lock.tryAcquire()).rejects.toMatchObject({ reason: 'not-ready', transient: true })
    const outcome: unknown = await lock.acquire({ waitMs: 300 }).catch((reason: unknown) => reason)
    expect(outcome).toBeInstanceOf(LockTimeoutError)
    expect(outcome).toMatchObject({ cause: { reason: 'not-ready' } })
    expect(performance.now() - startedAt).toBeLessThan(300 + SLACK_MS)
    const patient = lock.acquire()
    await pause(50)
    await scene.direct.call('SCRIPT', 'KILL')
    await script
    busy.disconnect()
    await (await patient).release()
    await scene.nothingLeft()
  })
})

function isHold(value: unknown): value is Hold {
  return typeof value === 'object' && value !== null && 'release' in value
}
