import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest'
import { type Hold, type Holdfast, type Lock, LockLostError, LockTimeoutError } from '../../src/index.js'
import { bringServer, type Server } from '../servers/index.js'
import { eventually } from '../setup/eventually.js'
import { eventsOf } from './heard.js'
import { calls } from './proxied-command.js'
import { Scene } from './scene.js'

const stages = [
  { where: 'ioredis 6, RESP3', open: () => Scene.standalone('ioredis-6') },
  { where: 'ioredis 5, RESP2', open: () => Scene.standalone('ioredis-5') },
  { where: 'cluster, ioredis 6', open: () => Scene.cluster('ioredis-6') },
  { where: 'cluster, ioredis 5', open: () => Scene.cluster('ioredis-5') },
]

/** However slow the machine, the time slice does not end meanwhile. */
const patient = { handOverSliceMs: Number.POSITIVE_INFINITY, commandTimeoutMs: 300 }
/** Long enough that no lease ends here, so that nobody gets in by that. */
const leased = { leaseMs: 60_000 }

let scene: Scene
let holdfast: Holdfast
let lock: Lock
let told: string[]

function enter(opened: Scene): void {
  scene = opened
  holdfast = scene.holdfast(patient)
  lock = holdfast.lock(scene.name)
  told = eventsOf(holdfast, ['acquired', 'released', 'lost', 'error'])
}

/** A lock that one call holds, and calls that wait for it, all with leases: each hand-over is a command. */
async function line(
  ...others: { signal?: AbortSignal; waitMs?: number }[]
): Promise<[Hold, Promise<Hold>[]]> {
  const hold = await lock.acquire(leased)
  const waits = others.map((options) => lock.acquire({ ...leased, ...options }))
  for (const wait of waits) wait.catch(() => undefined)
  await eventually(
    () => lock.countWaitingClients(),
    (count) => count === 1,
  )
  return [hold, waits]
}

/** They get in one after the other, each alone, and only they are in the store. */
async function getInAlone(waits: readonly Promise<Hold>[]): Promise<void> {
  let inside = 0
  await Promise.all(
    waits.map(async (wait) => {
      const hold = await wait
      inside += 1
      expect(inside).toBe(1)
      hold.assertHeld()
      expect(Object.values(await scene.holds())).toEqual(['1'])
      expect((await lock.inspect()).owners).toEqual([{ owner: hold.owner, holds: 1 }])
      hold.assertHeld()
      inside -= 1
      await hold.release()
    }),
  )
}

/** A server that heard no goodbye still has the subscriptions of a connection that fell silent, until it finds that out. */
function serverNoticesSilence(): void {
  for (const { connections } of scene.proxies)
    for (const connection of connections) if (connection.closed) connection.break()
}

const faults = stages.flatMap(({ where, open }) => [
  { where, open, fault: 'break' as const },
  { where, open, fault: 'silence' as const },
])

describe.each(faults)('X1: the reply of a hand-over is lost, $fault ($where)', ({ open, fault }) => {
  beforeEach(async () => enter(await open()))
  afterEach(() => scene.end())

  test('the lock is released all the same, the heir and the next get in, each once', async () => {
    const [hold, waits] = await line({}, {})
    const dropped = scene.dropReply(calls('handOver'), fault)
    const releasing = hold.release()
    const entering = getInAlone(waits)
    await dropped
    await releasing
    await entering
    expect(told.toSorted()).toEqual([...Array(3).fill('acquired'), ...Array(3).fill('released')])
    serverNoticesSilence()
    await scene.nothingLeft()
  })

  test('another client that waits may get in before; it is alone', async () => {
    const [hold, waits] = await line({})
    const far = scene.holdfast({}, { proxied: false }).lock(scene.name)
    let inside = false
    const other = far.withLock(async () => {
      inside = true
      expect(Object.values(await scene.holds())).toEqual(['1'])
      inside = false
    })
    await eventually(
      () => lock.countWaitingClients(),
      (count) => count === 2,
    )
    const dropped = scene.dropReply(calls('handOver'), fault)
    const releasing = hold.release()
    const entering = waits.map(async (wait) => {
      const mine = await wait
      expect(inside).toBe(false)
      expect(Object.values(await scene.holds())).toEqual(['1'])
      await mine.release()
    })
    await dropped
    await Promise.all([releasing, other, ...entering])
    expect(told).not.toContain('lost')
    serverNoticesSilence()
    await scene.nothingLeft()
  })

  test('W4: the heir aborts meanwhile: nothing is left of it, and the next gets in', async () => {
    const abort = new AbortController()
    const [hold, [heir, ...others]] = await line({ signal: abort.signal }, {})
    const dropped = scene.dropReply(calls('handOver'), fault)
    const releasing = hold.release()
    await dropped
    abort.abort('no longer')
    await expect(heir).rejects.toBe('no longer')
    await releasing
    await getInAlone(others)
    serverNoticesSilence()
    await scene.nothingLeft()
  })
})

describe.each(stages)(
  'the call that is to get the lock leaves while the command is under way ($where)',
  ({ open }) => {
    beforeEach(async () => enter(await open()))
    afterEach(() => scene.end())

    test.each([0, 1, 2])(
      'W4: by abort, with %i behind it: they get in, else nobody has the lock',
      async (behind) => {
        const abort = new AbortController()
        const [hold, [heir, ...others]] = await line({ signal: abort.signal }, ...Array(behind).fill({}))
        const holding = scene.holdReply(calls('handOver'))
        const releasing = hold.release()
        const held = await holding
        abort.abort('no longer')
        await expect(heir).rejects.toBe('no longer')
        held.letGo()
        await releasing
        await getInAlone(others)
        expect(told).not.toContain('lost')
        await scene.nothingLeft()
      },
    )

    test('W5: because its time is up', async () => {
      const [hold, [heir, ...others]] = await line({ waitMs: 150 }, {})
      const holding = scene.holdReply(calls('handOver'))
      const releasing = hold.release()
      const held = await holding
      await expect(heir).rejects.toBeInstanceOf(LockTimeoutError)
      held.letGo()
      await releasing
      await getInAlone(others)
      await scene.nothingLeft()
    })

    test('W4: because the client is closed: the lock is free', async () => {
      const [hold, waits] = await line({}, {})
      const holding = scene.holdReply(calls('handOver'))
      const releasing = hold.release().catch((error: unknown) => error)
      const held = await holding
      const closing = holdfast.close()
      for (const wait of waits) await expect(wait).rejects.toMatchObject({ code: 'CLOSED' })
      held.letGo()
      await Promise.all([releasing, closing])
      await scene.nothingLeft()
    })
  },
)

describe('the lock is gone when it is to be handed over', () => {
  beforeEach(async () => enter(await Scene.standalone()))
  afterEach(() => scene.end())

  test('L6: by a command: the releaser is told, the heir and the next get in by themselves', async () => {
    const [hold, waits] = await line({}, {})
    await scene.direct.del(scene.name)
    await expect(hold.release()).rejects.toBeInstanceOf(LockLostError)
    expect(hold.signal.aborted).toBe(true)
    await getInAlone(waits)
    expect(told.filter((event) => event === 'lost')).toHaveLength(1)
    await scene.nothingLeft()
  })

  test('L6: by a command, to somebody else: that one is left alone', async () => {
    const [hold, waits] = await line({})
    await scene.direct.del(scene.name)
    const other = await scene.holdfast().lock(scene.name).acquire()
    await expect(hold.release()).rejects.toBeInstanceOf(LockLostError)
    expect(await scene.holds()).toEqual({ [other.owner]: '1' })
    await other.release()
    await getInAlone(waits)
    await scene.nothingLeft()
  })

  test('L4: in memory: the heir is told by its first renewal, and the next gets in', async () => {
    const watched = scene.holdfast({ ...patient, watchdogMs: 900 })
    const mine = watched.lock(scene.name)
    const hold = await mine.acquire()
    const [first, second] = [mine.acquire(), mine.acquire(leased)]
    await eventually(
      () => mine.countWaitingClients(),
      (count) => count === 1,
    )
    await scene.direct.del(scene.name)
    await hold.release()
    const heir = await first
    const next = await second
    expect(heir.signal.reason).toMatchObject({ code: 'LOCK_LOST', owner: heir.owner, reason: 'not-in-store' })
    await expect(heir.release()).rejects.toBeInstanceOf(LockLostError)
    expect(await scene.holds()).toEqual({ [next.owner]: '1' })
    await next.release()
    await scene.nothingLeft()
  })
})

describe('the server does not carry the hand-over out', () => {
  let server: Server
  beforeAll(async () => {
    server = await bringServer({ flavour: inject('servers').flavour })
  })
  afterAll(() => server.stop())
  beforeEach(async () => enter(await Scene.standalone(undefined, server)))
  afterEach(() => scene.end())

  test('because it is full: the lock is released, the heir is refused, and nothing is left', async () => {
    const [hold, [heir]] = await line({})
    await scene.direct.call('CONFIG', 'SET', 'maxmemory', '1')
    await hold.release()
    await expect(heir).rejects.toMatchObject({ reason: 'out-of-memory' })
    await scene.nothingLeft()
    await scene.direct.call('CONFIG', 'SET', 'maxmemory', '0')
    await lock.withLock(() => undefined)
    expect(told).not.toContain('lost')
  })

  test('because it is full: under the watchdog the lock is handed on as if nothing were', async () => {
    const hold = await lock.acquire()
    const waits = [1, 2, 3].map(() => lock.acquire())
    await eventually(
      () => lock.countWaitingClients(),
      (count) => count === 1,
    )
    await scene.direct.call('CONFIG', 'SET', 'maxmemory', '1')
    await hold.release()
    await getInAlone(waits)
    await scene.direct.call('CONFIG', 'SET', 'maxmemory', '0')
    await scene.nothingLeft()
  })

  test('because it is a replica for a while: then the lock is released, and the heir and the next get in', async () => {
    const [hold, waits] = await line({}, {})
    await scene.direct.call('REPLICAOF', '127.0.0.1', '1')
    const releasing = hold.release()
    await eventually(() =>
      scene.proxy.commands.some(({ label, reply }) => label === 'handOver' && reply?.startsWith('-')),
    )
    await scene.direct.call('REPLICAOF', 'NO', 'ONE')
    await releasing
    await getInAlone(waits)
    expect(told).not.toContain('lost')
    await scene.nothingLeft()
  })

  test.each([true, false])(
    'X1: because it is restarted (keeping its data: %s): nobody is in twice',
    async (keepData) => {
      const [hold, waits] = await line({}, {})
      const dropped = scene.dropReply(calls('handOver'), 'break')
      const releasing = hold.release()
      await dropped
      const entering = getInAlone(waits)
      await server.restart({ keepData })
      await releasing
      await entering
      await scene.nothingLeft()
    },
  )
})
