import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest'
import { LockLostError } from '../../src/index.js'
import { bringServer } from '../servers/index.js'
import { duringAll } from '../setup/during.js'
import { eventually } from '../setup/eventually.js'
import { lasting } from '../setup/lasting.js'
import { calls } from './proxied-command.js'
import { leased, patient, Queue } from './queue.js'
import { Scene } from './scene.js'

let queue: Queue

describe('the lock is gone when it is to be handed over', () => {
  beforeEach(async () => {
    queue = new Queue(await Scene.standalone())
  })
  afterEach(() => queue.scene.end())

  test('L6: by a command: the releaser is told, the heir and the next get in by themselves', async () => {
    const [hold, waits] = await queue.form({}, {})
    await queue.scene.direct.del(queue.scene.name)
    await expect(hold.release()).rejects.toBeInstanceOf(LockLostError)
    expect(hold.signal.aborted).toBe(true)
    await queue.getInAlone(waits)
    expect(queue.told.filter((event) => event === 'lost')).toHaveLength(1)
    await queue.scene.nothingLeft()
  })

  test('L6: by a command, to somebody else: that one is left alone', async () => {
    const [hold, waits] = await queue.form({})
    await queue.scene.direct.del(queue.scene.name)
    const other = await queue.scene.holdfast().lock(queue.scene.name).acquire()
    await expect(hold.release()).rejects.toBeInstanceOf(LockLostError)
    expect(await queue.scene.holds()).toEqual({ [other.owner]: '1' })
    await other.release()
    await queue.getInAlone(waits)
    await queue.scene.nothingLeft()
  })

  test('L4: in memory: the heir is told by its first renewal, and the next gets in', async () => {
    const watched = queue.scene.holdfast({ ...patient, watchdogMs: lasting(900) })
    const mine = watched.lock(queue.scene.name)
    const hold = await mine.acquire()
    const [first, second] = [mine.acquire(), mine.acquire(leased)]
    await eventually(
      () => mine.countWaitingClients(),
      (count) => count === 1,
    )
    await queue.scene.direct.del(queue.scene.name)
    await hold.release()
    const heir = await first
    const next = await second
    expect(heir.signal.reason).toMatchObject({ code: 'LOCK_LOST', owner: heir.owner, reason: 'not-in-store' })
    await expect(heir.release()).rejects.toBeInstanceOf(LockLostError)
    expect(await queue.scene.holds()).toEqual({ [next.owner]: '1' })
    await next.release()
    await queue.scene.nothingLeft()
  })
})

describe('the server does not carry the hand-over out', () => {
  const server = duringAll(() => bringServer({ flavour: inject('servers').flavour }))
  beforeEach(async () => {
    queue = new Queue(await Scene.standalone(undefined, server))
  })
  afterEach(() => queue.scene.end())

  test('because it is full: the lock is released, the heir is refused, and nothing is left', async () => {
    const [hold, [heir]] = await queue.form({})
    await queue.scene.direct.call('CONFIG', 'SET', 'maxmemory', '1')
    await hold.release()
    await expect(heir).rejects.toMatchObject({ reason: 'out-of-memory' })
    await queue.scene.nothingLeft()
    await queue.scene.direct.call('CONFIG', 'SET', 'maxmemory', '0')
    await queue.lock.withLock(() => undefined)
    expect(queue.told).not.toContain('lost')
  })

  test('because it is a replica for a while: then the lock is released, and the heir and the next get in', async () => {
    const [hold, waits] = await queue.form({}, {})
    await queue.scene.direct.call('REPLICAOF', '127.0.0.1', '1')
    const releasing = hold.release()
    await eventually(() =>
      queue.scene.proxy.commands.some(({ label, reply }) => label === 'handOver' && reply?.startsWith('-')),
    )
    await queue.scene.direct.call('REPLICAOF', 'NO', 'ONE')
    await releasing
    await queue.getInAlone(waits)
    expect(queue.told).not.toContain('lost')
    await queue.scene.nothingLeft()
  })

  test.each([true, false])(
    'X1: because it is restarted (keeping its data: %s): nobody is in twice',
    async (keepData) => {
      const [hold, waits] = await queue.form({}, {})
      const dropped = queue.scene.dropReply(calls('handOver'), 'break')
      const releasing = hold.release()
      await dropped
      const entering = queue.getInAlone(waits, false)
      await server.restart({ keepData })
      await releasing
      await entering
      await queue.scene.nothingLeft()
    },
  )
})
