import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest'
import type { Hold, Holdfast, HoldfastOptions, Lock, Semaphore } from '../../src/index.js'
import { eventsOf } from '../fault/heard.js'
import { clientIdOf, Scene } from '../fault/scene.js'
import { ask, withAdmin } from '../servers/admin.js'
import { bringServer, type Server } from '../servers/index.js'
import { untilFollows } from '../servers/replication.js'
import { clusterClient } from '../setup/clients.js'
import { eventually } from '../setup/eventually.js'
import { clients, holdfasts, LEASE_MS, SLACK_MS } from './scenes.js'

/** Longer than any of this may take. */
const PATIENCE_MS = 20_000
const WOKEN_WITHIN_MS = 10_000

function renewedOrLost(holdfast: Holdfast): Promise<void> {
  return new Promise((resolve) => {
    for (const event of ['renewed', 'lost'] as const) holdfast.once(event, () => resolve())
  })
}

const WITHOUT_HELLO = ['--rename-command', 'HELLO', '']

let primary: Server
let replica: Server
let scene: Scene
async function endPair(): Promise<void> {
  await scene.end()
  await Promise.all([primary.stop(), replica.stop()])
}

async function bringPair(first: readonly string[] = [], second: readonly string[] = []): Promise<void> {
  const { flavour } = inject('servers')
  primary = await bringServer({ flavour, args: first })
  const args = [...second, '--replicaof', primary.host, String(primary.port)]
  replica = await bringServer({ flavour, args })
  scene = await Scene.standalone('ioredis-6', primary)
}

/** How a server stops being the one to talk to, while its connections stay open. */
const demotions = {
  READONLY: async () => {
    await ask(primary, 'REPLICAOF', replica.host, replica.port)
    // From now on it hears what is published there.
    await untilFollows(primary, replica)
  },
  MASTERDOWN: async () => {
    await ask(primary, 'CONFIG', 'SET', 'replica-serve-stale-data', 'no')
    await ask(primary, 'REPLICAOF', '127.0.0.1', 1)
  },
  'READONLY, and without locks': async () => {
    await ask(primary, 'FLUSHALL')
    await ask(primary, 'REPLICAOF', '127.0.0.1', 1)
  },
}

/** The name by which clients know the primary leads to the other server from now on. */
async function failOver(how: keyof typeof demotions): Promise<void> {
  await untilFollows(replica, primary)
  scene.proxy.redirect(replica)
  await ask(replica, 'REPLICAOF', 'NO', 'ONE')
  await demotions[how]()
}

describe.each(['READONLY', 'MASTERDOWN'] as const)(
  'H1: a primary is demoted and its connections stay open (%s)',
  (reply) => {
    beforeEach(() => bringPair())
    afterEach(endPair)

    async function holdsOf({ owner }: Hold): Promise<unknown> {
      return await ask(replica, 'HGET', scene.name, owner)
    }

    test.each(clients)(
      'what is held is renewed where it is now, who waits gets it ($what)',
      async ({ library, client }) => {
        await scene.end()
        scene = await Scene.standalone(library, primary)
        const options: HoldfastOptions = { watchdogMs: 9_000, commandTimeoutMs: 1_000 }
        const holder = scene.holdfast(options, { client })
        const lost = eventsOf(holder, ['lost'])
        const hold = await holder.lock(scene.name).acquire()
        const waiting = scene.holdfast(options, { client }).lock(scene.name).acquire()
        await eventually(async () => (await scene.channels()).length > 0)
        await failOver(reply)
        await (await holder.lock(`${scene.name}:other`).acquire({ waitMs: PATIENCE_MS })).release()
        await renewedOrLost(holder)
        expect(lost).toEqual([])
        expect(await holdsOf(hold)).toBe('1')
        const releasedAt = performance.now()
        await hold.release()
        const next = await waiting
        // A replica still hears what is published. Otherwise who only waits looks when the lease it saw has ended.
        if (reply === 'READONLY') expect(performance.now() - releasedAt).toBeLessThan(3_000)
        await next.release()
      },
      40_000,
    )

    test('the watchdog’s thread finds the new one, too', async () => {
      const holdfast = scene.holdfast({ watchdogMs: 6_000, commandTimeoutMs: 1_000, watchdogThread: true })
      const lost = eventsOf(holdfast, ['lost'])
      const hold = await holdfast.lock(scene.name).acquire()
      await renewedOrLost(holdfast)
      await failOver(reply)
      await renewedOrLost(holdfast)
      expect(lost).toEqual([])
      expect(await holdsOf(hold)).toBe('1')
      await hold.release()
    })
  },
)

describe('H1: a demoted primary that lacks what was granted since', () => {
  beforeEach(() => bringPair())
  afterEach(endPair)

  const kinds = {
    lock: (holdfast: Holdfast) => holdfast.lock(scene.name),
    fencedLock: (holdfast: Holdfast) => holdfast.fencedLock(scene.name),
    writeLock: (holdfast: Holdfast) => holdfast.readWriteLock(scene.name).writeLock(),
    semaphore: (holdfast: Holdfast) => holdfast.semaphore(scene.name),
  }
  const sections = {
    'its release': (hold: Hold) => hold.release(),
    'a nested acquisition': async (hold: Hold, lock: Lock | Semaphore) => {
      await (await hold.run(() => lock.acquire())).release()
      await hold.release()
    },
    'a nested release': async (hold: Hold, _: unknown, inner: Hold | undefined) => {
      await inner?.release()
      await hold.release()
    },
    'a renewal': async (hold: Hold, _: unknown, __: unknown, holdfast: Holdfast) => {
      await renewedOrLost(holdfast)
      await hold.release()
    },
  }

  const cases = Object.entries(kinds).flatMap(([kind, handle]) =>
    Object.entries(sections).map(([section, run]) => ({ kind, handle, section, run })),
  )
  test.each(cases)(
    'calls no $kind lost: $section',
    async ({ kind, handle, section, run }) => {
      const holdfast = scene.holdfast({ watchdogMs: 6_000, commandTimeoutMs: 1_000 })
      if (kind === 'semaphore') await holdfast.semaphore(scene.name).trySetPermits(3)
      const lock = handle(holdfast)
      const lost = eventsOf(holdfast, ['lost'])
      const hold = await lock.acquire()
      const inner = section === 'a nested release' ? await hold.run(() => lock.acquire()) : undefined
      await failOver('READONLY, and without locks')
      await run(hold, lock, inner, holdfast)
      expect(lost).toEqual([])
    },
    40_000,
  )
})

describe('H6: RESP3 is what the server agrees to, not what the client was told', () => {
  afterEach(endPair)

  test('a server without HELLO: who waits leaves the connection for commands alone', async () => {
    await bringPair(WITHOUT_HELLO)
    const holder = scene.holdfast()
    const hold = await holder.lock(scene.name).acquire({ leaseMs: LEASE_MS })
    const waiter = scene.holdfast()
    const waiting = waiter.lock(scene.name).acquire()
    await eventually(async () => (await holder.lock(scene.name).countWaitingClients()) === 1)
    expect(await scene.processChannels(waiter)).toHaveLength(1)
    const other = await waiter.lock(`${scene.name}:other`).tryAcquire()
    expect(other).not.toBeNull()
    await other?.release()
    // One to hold, two to wait.
    expect(scene.proxy.open).toHaveLength(3)
    const passed = scene.proxy.tally()
    await hold.release()
    const next = await waiting
    // It was told: it has not looked.
    expect(passed.labels).not.toContain('acquire')
    await next.release()
    await scene.nothingLeft()
  })

  test.each([
    { from: 'with HELLO', to: 'without it', first: [], second: WITHOUT_HELLO },
    { from: 'without HELLO', to: 'with it', first: WITHOUT_HELLO, second: [] },
  ])('after a server $from comes one $to: who waits is woken', async ({ first, second }) => {
    await bringPair(first, second)
    const hold = await scene.holdfast().lock(scene.name).acquire({ leaseMs: LEASE_MS })
    const waiter = scene.holdfast()
    const waiting = waiter.lock(scene.name).acquire()
    await eventually(async () => (await waiter.lock(scene.name).countWaitingClients()) === 1)
    await untilFollows(replica, primary)
    await ask(replica, 'REPLICAOF', 'NO', 'ONE')
    scene.proxy.redirect(replica)
    scene.proxy.breakAll()
    await withAdmin(replica, (command) =>
      eventually(async () => {
        const channels = await command('PUBSUB', 'CHANNELS', `holdfast:${clientIdOf(waiter)}`)
        return Array.isArray(channels) && channels.length === 1
      }),
    )
    await (await waiter.lock(`${scene.name}:other`).acquire({ waitMs: WOKEN_WITHIN_MS })).release()
    const releasedAt = performance.now()
    await hold.release()
    await (await waiting).release()
    expect(performance.now() - releasedAt).toBeLessThan(WOKEN_WITHIN_MS)
  })
})

test.each([
  { again: 'reconnects', answer: 1 },
  { again: 'reconnects and sends the command again', answer: 2 },
])(
  'H1, X1: what the application’s reconnectOnError says is heeded: that it $again; the call is told what the server answered',
  async ({ answer }) => {
    const scene = await Scene.standalone()
    const reconnectOnError = ({ message }: Error): number => (message.includes('WRONGTYPE') ? answer : 0)
    const lock = scene.holdfast({}, { client: { reconnectOnError } }).lock(scene.name)
    await scene.direct.set(scene.name, 'no lock')
    await expect(lock.tryAcquire()).rejects.toMatchObject({ reason: 'wrong-type' })
    await eventually(() => scene.proxy.connections[0]?.closed === true)
    await scene.direct.del(scene.name)
    await (await lock.acquire()).release()
    expect(scene.proxy.connections).toHaveLength(2)
    await scene.end()
  },
)

const holdfastOn = holdfasts()

test('H2: a name server that hangs, of which a cluster’s client never reports an end: calls end in time, later ones succeed', async () => {
  const commandTimeoutMs = 500
  let hangs = true
  // The client library asks for every name, and waits for the answer before anything else.
  const dnsLookup = (_name: string, answer: (error: null, address: string) => void): void => {
    if (!hangs) answer(null, '127.0.0.1')
  }
  const nodes = inject('servers').cluster.startupNodes.map(({ port }) => ({ host: 'localhost', port }))
  const holdfast = holdfastOn(clusterClient(nodes, { dnsLookup }), { commandTimeoutMs })
  const lock = holdfast.lock(`endless:${process.pid}`)
  for (let call = 0; call < 2; call += 1) {
    const startedAt = performance.now()
    await expect(lock.tryAcquire()).rejects.toMatchObject({ code: 'STORE_ERROR', transient: true })
    expect(performance.now() - startedAt).toBeLessThan(commandTimeoutMs + SLACK_MS)
  }
  hangs = false
  await (await lock.acquire({ waitMs: 10_000 })).release()
  hangs = true
  const closedAt = performance.now()
  await holdfast.close()
  expect(performance.now() - closedAt).toBeLessThan(SLACK_MS)
})
