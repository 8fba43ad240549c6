/** What becomes of locks when the others do not reach one member of an ensemble, which then only answers reads. */
import { afterEach, expect, test } from 'vitest'
import { journalOf } from '../../src/conformance/journal.js'
import { until } from '../servers/until.js'
import { ZooKeeperEnsemble, type ZooKeeperServer } from '../servers/zookeeper/index.js'
import { duringAll } from '../setup/during.js'
import { Scene } from './scene.js'
import { Tap } from './tap.js'

const ensemble = duringAll(() => ZooKeeperEnsemble.start({ properties: { 'readonlymode.enabled': true } }))
const scene = new Scene()
afterEach(async () => {
  ensemble.heal()
  await ensemble.parts()
})

async function someFollower(): Promise<ZooKeeperServer> {
  const [follower] = (await ensemble.parts()).followers
  return follower ?? expect.unreachable('there are three')
}

test('a server that only answers reads is refused with a typed error, and is good again when it has joined the others', async () => {
  const alone = await someFollower()
  ensemble.isolate(alone)
  await until(async () => (await alone.mode()) === 'read-only', { what: 'it only answers reads' })
  const lock = scene.holdfast(alone.address, { commandTimeoutMs: 500, storeTimeoutMs: 0 }).lock('small')
  const refused = { code: 'STORE_ERROR', reason: 'unreachable', transient: true }
  await expect(lock.acquire()).rejects.toMatchObject(refused)
  ensemble.heal()
  await until(() => lock.withLock(() => true), { what: 'a section runs' })
})

test('S7: a member that is parted from the others is left for one of them, within the session', async () => {
  const alone = await someFollower()
  const others = ensemble.members.filter((member) => member !== alone)
  const next = others[0] ?? expect.unreachable('there are three')
  const tap = scene.keep(await Tap.before(alone))
  const holdfast = scene.holdfast(tap.address, { watchdogMs: 15_000 })
  const lost = journalOf(holdfast, 'lost')
  const suspended = journalOf(holdfast, 'suspended')
  const hold = await holdfast.lock('parted').acquire()
  // The next server in turn.
  tap.redirect(next)
  ensemble.isolate(alone)
  const other = scene.holdfast(others.map(({ address }) => address)).lock('parted')
  await until(async () => (await alone.mode()) === 'read-only', { what: 'it only answers reads' })
  expect(await other.tryAcquire()).toBeNull()
  hold.assertHeld()
  await hold.release()
  await (await other.acquire({ waitMs: 10_000 })).release()
  expect([lost, suspended.length > 0]).toEqual([[], true])
})

test('L3: who knows only the leader that the others have left is told before another has its lock', async () => {
  const { leader, followers } = await ensemble.parts()
  const hold = await scene.holdfast(leader.address, { watchdogMs: 2_000 }).lock('deserted').acquire()
  const other = scene.holdfast(followers.map(({ address }) => address)).lock('deserted')
  const waiting = other.acquire({ waitMs: 40_000 }).then((next) => ({ next, told: hold.signal.aborted }))
  ensemble.isolate(leader)
  const { next, told } = await waiting
  expect(told).toBe(true)
  expect(() => hold.assertHeld()).toThrow()
  await next.release()
})
