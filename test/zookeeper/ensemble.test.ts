/** Locks on an ensemble of three when its members fail. */
import { beforeEach, expect, test } from 'vitest'
import { journalOf } from '../../src/conformance/journal.js'
import { createNumbered, deleteNode, getChildren } from '../../src/stores/zookeeper/client/operations.js'
import { codes } from '../../src/stores/zookeeper/client/result-codes.js'
import { NoAnswerError } from '../../src/stores/zookeeper/client/session.js'
import { until } from '../servers/until.js'
import { ZooKeeperEnsemble, type ZooKeeperServer } from '../servers/zookeeper/index.js'
import { duringAll } from '../setup/during.js'
import { Scene } from './scene.js'

const ANYONE = [{ scheme: 'world', id: 'anyone' }]

const ensemble = duringAll(() => ZooKeeperEnsemble.start({ settings: { syncLimit: 10 } }))
const scene = new Scene()

let lockNumber = 0
let name: string
beforeEach(async () => {
  lockNumber += 1
  name = `ensemble-${lockNumber}`
  // Whatever an earlier test did to members.
  for (const member of ensemble.members) {
    await member.resume()
    if (!member.runs) await member.launch()
  }
  await ensemble.parts()
})

/** A client that holds, by one member at first, and one that waits, by all. */
async function heldBy(members: readonly ZooKeeperServer[], watchdogMs: number) {
  const holder = scene.holdfast(
    members.map(({ address }) => address),
    { watchdogMs, commandTimeoutMs: 2_000 },
  )
  // On a busy machine an election may take longer than calls are patient by default.
  const patience = { commandTimeoutMs: 2_000, storeTimeoutMs: 40_000 }
  const waiter = scene.holdfast(ensemble.addresses, { watchdogMs: 20_000, ...patience })
  const lost = journalOf(holder, 'lost')
  const hold = await holder.lock(name).acquire({ waitMs: 10_000 })
  const waiting = waiter
    .lock(name)
    .acquire({ waitMs: 40_000 })
    .then((next) => ({ next, heldWhenFree: !hold.signal.aborted }))
  // Awaited later: a test that fails before has told why.
  waiting.catch(() => undefined)
  const session = await scene.session(ensemble.addresses)
  await until(async () => (await session.request(getChildren(`/holdfast/${name}`))).length === 2, {
    what: 'the other stands in line',
  })
  return { hold, lost, waiting }
}

test('S7: the leader is killed: the session goes on with the next one, and nothing is lost', async () => {
  const { leader } = await ensemble.parts()
  const { hold, lost, waiting } = await heldBy(ensemble.members, 15_000)
  await leader.kill()
  await until(async () => (await ensemble.parts()).leader !== leader, { what: 'another leader' })
  hold.assertHeld()
  await hold.release()
  const { next, heldWhenFree } = await waiting
  expect(heldWhenFree).toBe(true)
  expect(lost).toEqual([])
  await next.release()
})

type Parts = Awaited<ReturnType<typeof ensemble.parts>>

test.each<
  [string, (parts: Parts) => { by: ZooKeeperServer | undefined; paused: readonly ZooKeeperServer[] }]
>([
  [
    'S1, S2: the one member that a holder knows is paused',
    ({ followers: [first] }) => ({ by: first, paused: first ? [first] : [] }),
  ],
  [
    'the leader is paused, which is the one that a holder knows',
    ({ leader }) => ({ by: leader, paused: [leader] }),
  ],
  // The leader still answers pings for a while: of the session it decides nothing any more.
  [
    'a majority is lost and comes back: a keep-alive counts for nothing meanwhile, and locks can be had again',
    ({ leader, followers }) => ({ by: leader, paused: followers }),
  ],
])('%s: the holder is told before another has the lock', async (_, happening) => {
  const { by, paused } = happening(await ensemble.parts())
  const { hold, lost, waiting } = await heldBy(by ? [by] : [], 2_000)
  for (const member of paused) await member.pause()
  await until(() => hold.signal.aborted, { what: 'the holder is told' })
  if (by && !paused.includes(by)) for (const member of paused) member.resume()
  const { next, heldWhenFree } = await waiting
  expect(heldWhenFree).toBe(false)
  expect(() => hold.assertHeld()).toThrow()
  expect(lost).toMatchObject([{ name }])
  for (const member of paused) member.resume()
  await next.release()
})

test('S2, L3: a session that its client has given up meanwhile ends with the outage: a new leader counts others anew', async () => {
  const { followers } = await ensemble.parts()
  const { hold, waiting } = await heldBy(ensemble.members, 6_000)
  // Of a client that has died, and shorter: it would end first if nobody ended the other one.
  const dead = await scene.session(ensemble.addresses, { timeoutMs: 4_000 })
  const { path } = await dead.request(createNumbered('/holdfast/dead-', ANYONE))
  dead.abandon()
  for (const follower of followers) await follower.kill()
  await until(() => hold.signal.aborted, { what: 'the holder is told' })
  await Promise.all(followers.map((follower) => follower.launch()))
  const { next, heldWhenFree } = await waiting
  expect(heldWhenFree).toBe(false)
  const look = await scene.session(ensemble.addresses)
  expect(await look.request(getChildren('/holdfast'))).toContain(path.slice('/holdfast/'.length))
  await next.release()
})

test('what changes nothing is answered by a majority alone, while a leader without one answers pings', async () => {
  const { leader, followers } = await ensemble.parts()
  const session = await scene.session(leader.address, { timeoutMs: 10_000, commandTimeoutMs: 500 })
  const nothing = deleteNode('/holdfast/%nothing')
  await expect(session.request(nothing)).rejects.toMatchObject({ code: codes.noNode })
  await Promise.all(followers.map((follower) => follower.pause()))
  await session.ping()
  const kept = session.request(nothing).catch((error: unknown) => error)
  expect(await kept).toBeInstanceOf(NoAnswerError)
  for (const follower of followers) follower.resume()
})
