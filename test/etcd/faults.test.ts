/** What becomes of locks when members of an ensemble die, hang, or lose each other. */
import { afterEach, describe, expect, test } from 'vitest'
import { type Holdfast, type HoldfastOptions, LockLostError } from '../../src/index.js'
import { EtcdEnsemble, type EtcdServer } from '../servers/etcd/index.js'
import { duringAll } from '../setup/during.js'
import { eventually } from '../setup/eventually.js'
import { lasting } from '../setup/lasting.js'
import { anyLock, holdfastOn, memberOf } from './scene.js'

const ensemble = duringAll(() => EtcdEnsemble.start())
afterEach(async () => {
  ensemble.heal()
  // A test that failed halfway must not fail all behind it.
  await Promise.all(ensemble.members.map((member) => member.revive()))
  await Promise.all(ensemble.members.map((member) => member.serves()))
})

/** A client that turns to that member first. */
function holdfast(first?: EtcdServer, options: HoldfastOptions = {}): Holdfast {
  const { members } = ensemble
  const hosts = [...members].sort((one, other) => Number(other === first) - Number(one === first))
  const terms = { commandTimeoutMs: 1_000, storeTimeoutMs: 30_000, ...options }
  return holdfastOn({ hosts: hosts.map(({ url }) => url) }, terms)
}

async function someFollower(): Promise<EtcdServer> {
  const [follower] = await ensemble.followers()
  return follower ?? expect.unreachable('there are three')
}

const memberBeside = (other: EtcdServer): EtcdServer =>
  ensemble.members.find((each) => each !== other) ?? expect.unreachable('there are three')

/** Sections of a few clients, while something happens; tells what they have done, and that no two were inside at once. */
async function during(happening: () => Promise<unknown>): Promise<void> {
  const { name } = anyLock()
  let [inside, most, over] = [0, 0, false]
  const counts = [0, 0, 0]
  const work = ensemble.members.map(async (member, index) => {
    const lock = holdfast(member).lock(name)
    while (!over) {
      await lock.withLock(async () => {
        inside += 1
        most = Math.max(most, inside)
        await new Promise((resolve) => setImmediate(resolve))
        inside -= 1
        counts[index] = (counts[index] ?? 0) + 1
      })
    }
  })
  const begun = [...counts]
  await eventually(() => counts.every((count, index) => count > (begun[index] ?? 0)))
  await happening()
  const after = [...counts]
  await eventually(() => counts.every((count, index) => count > (after[index] ?? 0) + 5), Boolean, 30_000)
  over = true
  await Promise.all(work)
  expect(most).toBe(1)
}

describe('the leader', () => {
  test('is killed and comes back: sections go on, one at a time', async () => {
    const leader = await ensemble.leader()
    await during(async () => {
      await leader.kill()
      await leader.start()
    })
  })

  test('is moved: sections go on, one at a time', async () => {
    await during(async () => ensemble.moveLeader(await someFollower()))
  })

  test('dies while a lock is held: it stays held, is kept alive by the next one, and its release is heard', async () => {
    const leader = await ensemble.leader()
    const { name } = anyLock()
    const watchdogMs = lasting(5_000)
    const hold = await holdfast(leader, { watchdogMs }).lock(name).acquire()
    const other = holdfast(await someFollower())
    const waiting = other.lock(name).acquire()
    await leader.kill()
    const alive = holdfast(memberBeside(leader)).lock(name)
    expect(await alive.tryAcquire({ waitMs: Math.ceil(1.5 * watchdogMs) })).toBeNull()
    hold.assertHeld()
    await hold.release()
    await (await waiting).release()
    await leader.start()
  })
})

describe('a minority', () => {
  test('a member that the others do not reach is left for one of them', async () => {
    const alone = await someFollower()
    await during(async () => {
      ensemble.isolate(alone)
      const { name } = anyLock()
      await (await holdfast(alone).lock(name).acquire()).release()
    })
  })

  test('W7: who waits at such a member hears of a release at the others', async () => {
    const alone = await someFollower()
    const { name } = anyLock()
    const hold = await holdfast(memberBeside(alone)).lock(name).acquire()
    const waiter = holdfast(alone)
    const waiting = waiter.lock(name).acquire()
    await eventually(async () => (await waiter.lock(name).countWaitingClients()) === 1)
    ensemble.isolate(alone)
    await hold.release()
    await (await waiting).release()
  })

  test('L3: without a majority a lock is lost to its holder when its time is over, and is to be had when there is one again', async () => {
    const leader = await ensemble.leader()
    const follower = await someFollower()
    // The first renewal that fails is answered long before the lease ends.
    const client = holdfast(leader, { watchdogMs: 6_000 })
    const told: string[] = []
    client.on('suspended', () => told.push('suspended'))
    client.on('lost', ({ reason }) => told.push(reason))
    const lock = client.lock(anyLock().name)
    const hold = await lock.acquire()
    await leader.kill()
    await follower.kill()
    await eventually(() => hold.signal.aborted)
    expect(() => hold.assertHeld()).toThrow(LockLostError)
    expect(told.join()).toMatch(/^suspended(,(suspended|lease-expired|session-ended))*$/)
    await leader.launch()
    await follower.launch()
    await (await lock.acquire()).release()
  })
})

describe('a session', () => {
  test('S4, etcd #11456: a waiter whose session has ended is never granted by the end of the one before it', async () => {
    const lock = anyLock()
    const [one, other] = [await memberOf(lock, ensemble.members), await memberOf(lock, ensemble.members)]
    await one.stand()
    const { entry, sure } = other.watch(await other.stand())
    await one.link.end(other.session)
    await one.leave()
    await eventually(() => sure.length > 0)
    // It has to look, and finds that it does not stand there.
    expect(sure).toEqual([false])
    expect(await other.link.read(lock, entry)).toEqual([])
    expect(await other.read()).toEqual([])
  })

  test('S4: what a member knows that is behind the end of an entry is not taken for the line after it', async () => {
    const [behind, lock] = [await someFollower(), anyLock()]
    const one = await memberOf(lock, [memberBeside(behind)])
    const other = await memberOf(lock, [behind])
    const key = one.key()
    const { entry, sure } = one.watch(await one.stand(key))
    expect(await other.read()).toEqual([key])
    ensemble.isolate(behind)
    await one.leave()
    await eventually(() => sure.length > 0)
    await expect(other.link.read(lock, entry)).rejects.toMatchObject({ transient: true })
    expect(await one.link.read(lock, entry)).toEqual([])
  })
})

test('history that is cleared away under a watch keeps nobody waiting', async () => {
  const { name } = anyLock()
  const [one, other] = [holdfast(), holdfast()]
  const hold = await one.lock(name).acquire()
  const waiting = other.lock(name).acquire()
  await eventually(async () => (await one.lock(name).countWaitingClients()) === 1)
  const [member] = ensemble.members
  const status = (await member?.ctl('put', 'some', 'change', '--write-out=json')) ?? ''
  await member?.ctl('compact', /"revision":(\d+)/.exec(status)?.[1] ?? '', '--physical')
  await hold.release()
  await (await waiting).release()
})

test('S10: tokens grow from client to client, across a change of leader, and after the lock was left free', async () => {
  const { name } = anyLock()
  const tokens: Array<bigint | undefined> = []
  for (const member of [...ensemble.members, ...ensemble.members]) {
    const hold = await holdfast(member).fencedLock(name).acquire()
    tokens.push(hold.fence)
    await hold.release()
    if (tokens.length === 3) await ensemble.moveLeader(await someFollower())
  }
  expect(tokens).toEqual([...tokens].sort((one = 0n, other = 0n) => (one < other ? -1 : 1)))
  expect(new Set(tokens).size).toBe(tokens.length)
})
