import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest'
import { type Hold, type Holdfast, type Lock, LockLostError } from '../../src/index.js'
import { bringServer } from '../servers/index.js'
import { duringAll } from '../setup/during.js'
import { eventually } from '../setup/eventually.js'
import { lasting } from '../setup/lasting.js'
import { eventsOf } from './heard.js'
import { calls } from './proxied-command.js'
import { Scene } from './scene.js'

/** However slow the machine, the time slice does not end meanwhile. */
const patient = {
  handOverSliceMs: Number.POSITIVE_INFINITY,
  get commandTimeoutMs() {
    return lasting(300)
  },
}
/** Long enough that no lease ends here, so that nobody gets in by that. */
const leased = { leaseMs: 60_000 }

/** Calls of one client that queue for a scene's lock, and what the client tells meanwhile. */
class Queue {
  readonly holdfast: Holdfast
  readonly lock: Lock
  readonly told: readonly string[]

  constructor(readonly scene: Scene) {
    this.holdfast = scene.holdfast(patient)
    this.lock = this.holdfast.lock(scene.name)
    this.told = eventsOf(this.holdfast, ['acquired', 'released', 'lost', 'error'])
  }

  /** One call holds the lock and others wait for it, all with leases: each hand-over is a command. */
  async form(...others: { signal?: AbortSignal; waitMs?: number }[]): Promise<[Hold, Promise<Hold>[]]> {
    const hold = await this.lock.acquire(leased)
    const waits = others.map((options) => this.lock.acquire({ ...leased, ...options }))
    for (const wait of waits) wait.catch(() => undefined)
    await eventually(async () => (await this.lock.countWaitingClients()) === 1)
    return [hold, waits]
  }

  /**
   * They get in one after the other, each alone, and only they are in the store.
   *
   * @param storeAnswers whether there is a store to ask all the while: not when it is restarted beside this.
   */
  async getInAlone(waits: readonly Promise<Hold>[], storeAnswers = true): Promise<void> {
    let inside = 0
    await Promise.all(
      waits.map(async (wait) => {
        const hold = await wait
        inside += 1
        expect(inside).toBe(1)
        hold.assertHeld()
        if (storeAnswers) {
          expect(Object.values(await this.scene.holds())).toEqual(['1'])
          expect((await this.lock.inspect()).owners).toMatchObject([{ owner: hold.owner, holds: 1 }])
        } else {
          await new Promise((resolve) => setImmediate(resolve))
        }
        hold.assertHeld()
        inside -= 1
        await hold.release().catch((error: unknown) => {
          // A server that is restarted without its data has lost the lock of whoever was in.
          if (storeAnswers || !(error instanceof LockLostError)) throw error
        })
      }),
    )
  }
}

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
    const mine = queue.scene.holdfast({ ...patient, watchdogMs: lasting(1_800) }).lock(queue.scene.name)
    const hold = await mine.acquire()
    const [first, second] = [mine.acquire(), mine.acquire(leased)]
    await eventually(async () => (await mine.countWaitingClients()) === 1)
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
