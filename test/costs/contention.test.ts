import { describe, expect, test } from 'vitest'
import type { Holdfast } from '../../src/index.js'
import { Scene } from '../fault/scene.js'
import { duringEach } from '../setup/during.js'
import { eventually } from '../setup/eventually.js'
import { lasting } from '../setup/lasting.js'
import { span } from '../setup/span.js'

/** Design section 7, contended. The holder's client goes straight to the server where only the waiter is counted. */
describe.each([
  { where: 'RESP3', library: 'ioredis-6' as const },
  { where: 'RESP2', library: 'ioredis-5' as const },
])('costs under contention ($where)', ({ where, library }) => {
  const scene = duringEach(() => Scene.counted(library))

  /** A client whose connections are open, both of them where there are two, and whose scripts the server knows. */
  async function warm(proxied: boolean): Promise<Holdfast> {
    const holdfast = scene.holdfast({}, { proxied })
    const name = `${scene.name}:warm-up`
    const hold = await holdfast.lock(name).acquire()
    // Not aborted when it is seen to wait: its subscriptions may be on their way then.
    await holdfast
      .lock(name)
      .acquire({ waitMs: lasting(200) })
      .catch(() => undefined)
    await hold.release()
    // The server is asked, since a busy machine may have a subscription sent twice.
    const channels = async () => [...(await scene.channels()), ...(await scene.processChannels(holdfast))]
    await eventually(channels, (left) => left.length === 0)
    // Its next command would belong to the flight of one that has no answer.
    await answered()
    return holdfast
  }

  /** Resolves when the server has answered all it was asked and the waiter sleeps. */
  async function asleep(attempts: number, tally: { labels: readonly string[] }): Promise<void> {
    await eventually(() => tally.labels.filter((label) => label === 'acquire').length === attempts)
    await answered()
  }

  async function answered(): Promise<void> {
    await eventually(() =>
      scene.proxy.open.every(({ commands }) => commands.every(({ reply }) => reply !== undefined)),
    )
  }

  // To what it is told itself, and as the first in line to releases of those that stand in none.
  const SUBSCRIBING = ['SUBSCRIBE', 'SUBSCRIBE', 'SUBSCRIBE']

  test(`redisson#1763, #5070, #5761, #6539: going to wait: an attempt, subscriptions, an attempt; ${where === 'RESP3' ? 2 : 3} round trips`, async () => {
    const hold = await scene.holdfast({}, { proxied: false }).lock(scene.name).acquire()
    const waiter = await warm(true)
    const tally = scene.proxy.tally()
    const waiting = waiter.lock(scene.name).acquire()
    await asleep(2, tally)
    expect(tally.labels).toEqual(['acquire', ...SUBSCRIBING, 'acquire'])
    expect(tally.flights).toBe(where === 'RESP3' ? 2 : 3)
    if (where === 'RESP3') {
      const [first, subscription, , , second] = tally.commands
      expect(subscription?.connection).toBe(first?.connection)
      expect(second?.flight).toBe(subscription?.flight)
    }
    await hold.release()
    await (await waiting).release()
  })

  test('a wait in vain: its place is left, and nothing more is sent at its end', async () => {
    await using _hold = await scene.holdfast({}, { proxied: false }).lock(scene.name).acquire()
    const waiter = await warm(true)
    const tally = scene.proxy.tally()
    await expect(waiter.lock(scene.name).acquire({ waitMs: lasting(600) })).rejects.toMatchObject({
      code: 'LOCK_TIMEOUT',
    })
    // The subscription is given up after what was sent at the end, if anything was.
    await eventually(async () => (await scene.channels()).length === 0)
    const left = SUBSCRIBING.map((label) => `UN${label}`)
    // A connection that has been silent for long is asked whether it lives.
    const labels = tally.labels.filter((label) => label !== 'PING')
    expect(labels).toEqual(['acquire', ...SUBSCRIBING, 'acquire', 'release', ...left])
  })

  test('hand-over between processes: the release, one round trip, nothing else', async () => {
    const hold = await (await warm(true)).lock(scene.name).acquire()
    const waiter = await warm(true)
    const before = scene.proxy.tally()
    const waiting = waiter.lock(scene.name).acquire()
    await asleep(2, before)
    const tally = scene.proxy.tally()
    const [next] = await Promise.all([waiting, hold.release()])
    expect(tally.labels).toEqual(['release'])
    expect(tally.flights).toBe(1)
    await next.release()
  })

  test('common-voice PR#2476, discourse PR#17886: waiting: nothing is sent while nothing happens', async () => {
    const hold = await scene.holdfast({}, { proxied: false }).lock(scene.name).acquire({ leaseMs: 60_000 })
    const waiter = await warm(true)
    const before = scene.proxy.tally()
    const waits = [1, 2, 3].map(() => waiter.lock(scene.name).acquire())
    await asleep(2, before)
    const tally = scene.proxy.tally()
    await span(1_500)
    expect(tally.labels).toEqual([])
    await hold.release()
    for (const wait of waits) await (await wait).release()
  })

  test('waiting outside the line, without permission for grants: a subscription, an attempt, nothing until the release', async () => {
    const rules = ['reset', 'on', '>secret', '+@all', '~*', 'resetchannels', '&redisson_lock__channel:*']
    await scene.direct.call('ACL', 'SETUSER', 'deaf', ...rules)
    const waiter = scene.holdfast({}, { client: { username: 'deaf', password: 'secret' } })
    const direct = scene.holdfast({}, { proxied: false })
    // It learns of the refusal at another lock.
    const other = await direct.lock(`${scene.name}:other`).acquire()
    expect(await waiter.lock(`${scene.name}:other`).tryAcquire({ waitMs: lasting(1_000) })).toBeNull()
    await other.release()
    const hold = await direct.lock(scene.name).acquire()
    const tally = scene.proxy.tally()
    const waiting = waiter.lock(scene.name).acquire()
    const sent = (): string[] => tally.labels.filter((label) => label !== 'UNSUBSCRIBE' && label !== 'PING')
    await eventually(() => sent().length >= 3)
    await span(1_000)
    expect(sent()).toEqual(['acquire', 'SUBSCRIBE', 'acquire'])
    await hold.release()
    const next = await waiting
    expect(sent()).toEqual(['acquire', 'SUBSCRIBE', 'acquire', 'acquire'])
    await next.release()
    await scene.direct.call('ACL', 'DELUSER', 'deaf')
  })

  test("waiting: one attempt per time to live of the holder's lease, however many wait", async () => {
    const WATCHDOG_MS = 900
    const holder = scene.holdfast({ watchdogMs: WATCHDOG_MS }, { proxied: false })
    const hold = await holder.lock(scene.name).acquire()
    const waiter = await warm(true)
    const before = scene.proxy.tally()
    const waits = [1, 2, 3].map(() => waiter.lock(scene.name).acquire())
    await asleep(2, before)
    const tally = scene.proxy.tally()
    const startedAt = performance.now()
    await eventually(() => tally.labels.length >= 3)
    // A renewal every third of the lease leaves two thirds of it at least, when nothing is late.
    const attempts = (performance.now() - startedAt) / ((WATCHDOG_MS * 2) / 3)
    // Where news has a connection of its own, a look makes sure that it still would be heard.
    const looks = tally.labels.filter((label) => label !== 'PING')
    expect(new Set(looks)).toEqual(new Set(['acquire']))
    expect(looks.length).toBeLessThanOrEqual(Math.ceil(attempts) + 1)
    expect(tally.labels.length - looks.length).toBeLessThanOrEqual(where === 'RESP3' ? 0 : looks.length)
    await hold.release()
    for (const wait of waits) await (await wait).release()
  })

  // With one process: one acquire, one subscription and one release for all, and one more of each in a time slice more.
  test.each([
    { processes: 1, few: 2, most: 0.3 },
    { processes: 2, few: 4, most: 1 },
  ])(
    'a section costs no more when more wait in each of $processes processes: what goes to the server is shared among them',
    async ({ processes, few, most }) => {
      const withFew = await commandsPerSection(processes, few)
      const withMany = await commandsPerSection(processes, 50)
      expect(withMany).toBeLessThanOrEqual(withFew)
      expect(withMany).toBeLessThanOrEqual(most)
    },
  )

  test('W2: contention that comes again does not subscribe again; when it stays away the channel is dropped', async () => {
    const holder = scene.holdfast({}, { proxied: false }).lock(scene.name)
    const waiter = scene.holdfast().lock(scene.name)
    const tally = scene.proxy.tally()
    const rounds = 10
    for (let round = 0; round < rounds; round += 1) {
      const hold = await holder.acquire()
      const waiting = waiter.acquire()
      await eventually(async () => (await holder.countWaitingClients()) === 1)
      await hold.release()
      await (await waiting).release()
    }
    // On a machine that stands still between two rounds the subscription may be given up; not between all of them.
    expect(tally.labels.filter((label) => label === 'SUBSCRIBE').length).toBeLessThan(rounds / 2)
    await eventually(async () => (await scene.channels()).length === 0)
  })

  async function commandsPerSection(processes: number, waiters: number): Promise<number> {
    const clients = await Promise.all(Array.from({ length: processes }, () => warm(true)))
    const name = `${scene.name}:${processes}x${waiters}`
    const tally = scene.proxy.tally()
    await Promise.all(
      clients.flatMap((client) =>
        Array.from({ length: waiters }, () =>
          client.lock(name).withLock(() => new Promise((resolve) => setImmediate(resolve))),
        ),
      ),
    )
    return tally.labels.length / (processes * waiters)
  }
})
