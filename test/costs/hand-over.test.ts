import { describe, expect, test } from 'vitest'
import type { AcquireOptions, Hold, Holdfast, HoldfastOptions, Lock } from '../../src/index.js'
import { Scene } from '../fault/scene.js'
import { duringEach } from '../setup/during.js'
import { eventually } from '../setup/eventually.js'

/** Design section 7: what it costs to hand a lock on within a process, and what waiters of other processes pay meanwhile. */
describe.each([
  { where: 'RESP3', library: 'ioredis-6' as const },
  { where: 'RESP2', library: 'ioredis-5' as const },
])('costs of hand-over ($where)', ({ library }) => {
  const scene = duringEach(() => Scene.counted(library))

  /** However slow the machine, the time slice does not end meanwhile. */
  const patient = { handOverSliceMs: Number.POSITIVE_INFINITY }

  /** A client whose connections are open, all there are, and whose scripts the server knows. */
  async function warm(options: HoldfastOptions = patient): Promise<Holdfast> {
    const holdfast = scene.holdfast(options)
    const lock = holdfast.lock(`${scene.name}:warm-up`)
    const hold = await lock.acquire({ leaseMs: 60_000 })
    const waiting = lock.acquire({ leaseMs: 60_000 })
    await settled(lock)
    await hold.release()
    await (await waiting).release()
    await eventually(async () => holdfast.census.gates === 0 && (await scene.channels()).length === 0)
    await quiet()
    return holdfast
  }

  /**
   * Resolves when these clients wait for the lock and have nothing more to ask. A subscription that was confirmed on a connection
   * of its own may lead to a look at the lock: it has been sent when the client has had an answer to a later question.
   */
  async function settled(...locks: Lock[]): Promise<void> {
    for (const lock of locks) {
      await eventually(async () => (await lock.countWaitingClients()) === locks.length)
      await quiet()
      for (let question = 0; question < 3; question += 1) await lock.isLocked()
    }
    await quiet()
  }

  const quiet = (): Promise<unknown> =>
    eventually(() => scene.proxy.commands.every(({ reply }) => reply !== undefined))

  /** What one hand-over between calls with these terms costs, while a further call goes on waiting. */
  async function handOver(from: AcquireOptions, to: AcquireOptions): Promise<unknown> {
    const lock = (await warm()).lock(scene.name)
    const hold = await lock.acquire(from)
    const [next, last] = [lock.acquire(to), lock.acquire()]
    await settled(lock)
    const tally = scene.proxy.tally()
    const [heir] = await Promise.all([next, hold.release()])
    const cost = { commands: tally.labels, roundTrips: tally.flights }
    await heir.release()
    await (await last).release()
    return cost
  }

  const byCommand = { commands: ['handOver'], roundTrips: 1 }
  test.each([
    { what: 'under the watchdog: no command', from: {}, to: {}, cost: { commands: [], roundTrips: 0 } },
    { what: 'with a lease on the heir: one', from: {}, to: { leaseMs: 60_000 }, cost: byCommand },
    { what: 'with a lease on the releaser: one', from: { leaseMs: 60_000 }, to: {}, cost: byCommand },
    {
      what: 'with a lease on both: one',
      from: { leaseMs: 60_000 },
      to: { leaseMs: 50_000 },
      cost: byCommand,
    },
  ])('$what', async ({ from, to, cost }) => {
    expect(await handOver(from, to)).toEqual(cost)
  })

  test('with the default bounds: a release and an acquire for each time slice beside that', async () => {
    const lock = (await warm({})).lock(scene.name)
    const tally = scene.proxy.tally()
    const startedAt = performance.now()
    const section = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 1))
    await Promise.all(Array.from({ length: 100 }, () => lock.withLock(section)))
    const slices = Math.ceil((performance.now() - startedAt) / 25)
    const count = (label: string): number => tally.labels.filter((each) => each === label).length
    expect(count('acquire')).toBeLessThanOrEqual(slices + 1)
    expect(count('release')).toBeLessThanOrEqual(slices + 1)
    expect(new Set(tally.labels).size).toBeLessThanOrEqual(5)
  })

  test('a process in line is not asked, and asks nothing, until the lock is its own', async () => {
    const holder = scene.holdfast({}, { proxied: false })
    const hold = await holder.lock(scene.name).acquire({ leaseMs: 600_000 })
    const locks: Lock[] = []
    for (let process = 0; process < 3; process += 1) locks.push((await warm()).lock(scene.name))
    const granted: Hold[] = []
    const waits = locks.map(async (lock) => granted.push(await lock.acquire({ leaseMs: 600_000 })))
    await settled(...locks)
    let tally = scene.proxy.tally()
    await hold.release()
    for (let left = locks.length; left > 0; left -= 1) {
      await eventually(() => granted.length > 0 && tally.labels.length >= left)
      await quiet()
      // Whatever those that wait on have to say comes before the answer to a question of their own.
      const { labels } = tally
      for (const lock of locks) await lock.isLocked()
      // Its own lease is set by a command. A channel that nobody listens to any more is left when its time is over, at whatever moment that is.
      expect(labels.filter((label) => !/^(release|(UN)?SUBSCRIBE)$/.test(label))).toEqual(['acquire'])
      const since = tally.labels.slice(labels.length)
      expect(since.filter((label) => label !== 'UNSUBSCRIBE')).toEqual(locks.map(() => 'inspect'))
      tally = scene.proxy.tally()
      await granted.pop()?.release()
    }
    await Promise.all(waits)
  })
})
