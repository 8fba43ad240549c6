/** What becomes of locks when members of an ensemble die, hang, or lose each other. */
import { afterEach, describe, expect, test } from 'vitest'
import { type Holdfast, type HoldfastOptions, LockLostError } from '../../src/index.js'
import { EtcdEnsemble, type EtcdServer } from '../servers/etcd/index.js'
import { duringAll } from '../setup/during.js'
import { eventually } from '../setup/eventually.js'
import { lasting } from '../setup/lasting.js'
import { anyLock, holdfastOn, keysIn, linkTo } from './scene.js'

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
  if (!follower) throw new Error('there are three')
  return follower
}

/** Sections of a few clients, while something happens; tells what they have done, and that no two were inside at once. */
async function during(happening: () => Promise<unknown>): Promise<void> {
  const { name } = anyLock()
  let inside = 0
  let most = 0
  let over = false
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
    const watchdogMs = lasting(3_000)
    const hold = await holdfast(leader, { watchdogMs }).lock(name).acquire()
    const waiting = holdfast(await someFollower())
      .lock(name)
      .acquire()
    await leader.kill()
    const waitMs = Math.ceil(1.5 * watchdogMs)
    expect(
      await holdfast(await aliveMember(leader))
        .lock(name)
        .tryAcquire({ waitMs }),
    ).toBeNull()
    hold.assertHeld()
    await hold.release()
    await (await waiting).release()
    await leader.start()
  })
})

async function aliveMember(dead: EtcdServer): Promise<EtcdServer> {
  const member = ensemble.members.find((each) => each !== dead)
  if (!member) throw new Error('there are three')
  return member
}

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
    const hold = await holdfast(await aliveMember(alone))
      .lock(name)
      .acquire()
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
    const client = holdfast(leader, { watchdogMs: 2_000 })
    const told: string[] = []
    client.on('suspended', () => told.push('suspended'))
    client.on('lost', ({ reason }) => told.push(reason))
    const lock = client.lock(anyLock().name)
    const hold = await lock.acquire()
    await leader.kill()
    await follower.kill()
    await eventually(() => hold.signal.aborted)
    expect(() => hold.assertHeld()).toThrow(LockLostError)
    expect(told[0]).toBe('suspended')
    expect(
      told
        .slice(1)
        .every((each) => each === 'suspended' || each === 'lease-expired' || each === 'session-ended'),
    ).toBe(true)
    await leader.launch()
    await follower.launch()
    await (await lock.acquire()).release()
  })

  test('S2, L3: a session that its client has given up meanwhile ends with the outage: a new leader counts others anew', async () => {
    const [leader, follower] = [await ensemble.leader(), await someFollower()]
    const begunAt = performance.now()
    // A session of 8 s, that is; its lock's lease ends a moment before it does.
    const hold = await holdfast(leader, { watchdogMs: 7_900 }).lock(anyLock().name).acquire()
    const entry = await leader.ctl('get', '--prefix', `holdfast/${hold.name}/`, '--write-out=json')
    const lease = BigInt(/"lease":(\d+)/.exec(entry)?.[1] ?? 0).toString(16)
    const stands = async () => (await leader.ctl('lease', 'list')).includes(lease)
    expect(await stands()).toBe(true)
    // Of a client that has died, and shorter: it would end first if nobody ended the other one.
    const [dead, lock] = [linkTo(ensemble.members), anyLock()]
    const { session } = await dead.link.begin(5_900)
    await dead.link.stand({ lock, session, key: dead.key(), mode: 'lock', ifFree: false })
    await leader.kill()
    await follower.kill()
    await eventually(() => hold.signal.aborted, Boolean, 20_000)
    // Its session is over, too: until then the client would remove its entry, and let the empty session be.
    await eventually(() => performance.now() > begunAt + 8_000, Boolean, 20_000)
    await leader.launch()
    await follower.launch()
    await leader.serves()
    await eventually(async () => !(await stands()), Boolean, 20_000)
    expect(await dead.link.read(lock)).toHaveLength(1)
  })
})

describe('a session', () => {
  test('S4, etcd #11456: a waiter whose session has ended is never granted by the end of the one before it', async () => {
    const [one, other] = [linkTo(ensemble.members), linkTo(ensemble.members)]
    const lock = anyLock()
    const terms = { lock, mode: 'lock', ifFree: false } as const
    const [before, waits] = [await one.link.begin(30_000), await other.link.begin(30_000)]
    const [first, second] = [one.key(), other.key()]
    await one.link.stand({ ...terms, session: before.session, key: first })
    const line = await other.link.stand({ ...terms, session: waits.session, key: second })
    const [entry] = line ?? []
    if (!entry) throw new Error('somebody stands there')
    const sure: boolean[] = []
    other.link.watch(lock, entry, (each) => sure.push(each))
    await one.link.end(waits.session)
    await one.link.remove(lock, first)
    await eventually(() => sure.length > 0)
    // It has to look, and finds that it does not stand there.
    expect(sure).toEqual([false])
    expect(await other.link.read(lock, entry)).toEqual([])
    expect(await other.link.read(lock)).toEqual([])
  })

  test('S4: what a member knows that is behind the end of an entry is not taken for the line after it', async () => {
    const [behind] = await ensemble.followers()
    const [one, other] = [
      linkTo(ensemble.members.filter((each) => each !== behind)),
      linkTo(behind ? [behind] : []),
    ]
    const lock = anyLock()
    const { session } = await one.link.begin(30_000)
    const key = one.key()
    const [entry] = (await one.link.stand({ lock, session, key, mode: 'lock', ifFree: false })) ?? []
    if (!entry || !behind) throw new Error('somebody stands there')
    expect(keysIn(await other.link.read(lock))).toEqual([key])
    let told = false
    one.link.watch(lock, entry, () => {
      told = true
    })
    ensemble.isolate(behind)
    await one.link.remove(lock, key)
    await eventually(() => told)
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
