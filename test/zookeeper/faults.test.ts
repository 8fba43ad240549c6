/** Locks on a server of ZooKeeper when replies, connections and processes fail. */
import { describe, expect, test } from 'vitest'
import { Latch } from '../../src/conformance/latch.js'
import { deleteNode, getChildren } from '../../src/stores/zookeeper/client/operations.js'
import { until } from '../servers/until.js'
import { ZooKeeperServer } from '../servers/zookeeper/index.js'
import { duringAll } from '../setup/during.js'
import { Scene } from './scene.js'
import { Tap } from './tap.js'

const server = duringAll(() => ZooKeeperServer.start())
const scene = new Scene()

let names = 0
const lockName = (): string => {
  names += 1
  return `faults-${names}`
}

/** Who stands in line, by the server's word. */
async function lineOf(name: string): Promise<readonly string[]> {
  return await (await scene.session(server.address)).request(getChildren(`/holdfast/${name}`)).catch(() => [])
}

test.each(['break', 'silence'] as const)(
  'S3, X1: a reply to the create that is lost (%s): one entry, one hold',
  async (how) => {
    const tap = scene.keep(await Tap.before(server))
    const lock = scene.holdfast(tap.address, { watchdogMs: 3_000 }).lock(lockName())
    await lock.withLock(() => undefined)
    const struck = tap.dropReply('create', how)
    const hold = await lock.acquire({ waitMs: 10_000 })
    await struck
    expect(await lineOf(lock.name)).toHaveLength(1)
    await hold.release()
    expect(await lineOf(lock.name)).toEqual([])
  },
)

describe('a line', () => {
  test('S5, S6: one before it that leaves without having held wakes nobody wrongly, and a release wakes one client', async () => {
    const name = lockName()
    const hold = await scene.holdfast(server.address).lock(name).acquire()
    const taps = [await Tap.before(server), await Tap.before(server), await Tap.before(server)]
    const clients = taps.map((tap) => scene.holdfast(scene.keep(tap).address))
    const order: number[] = []
    const leave = new AbortController()
    const open = new Latch()
    const waits = []
    for (const [index, client] of clients.entries()) {
      const signal = index === 1 ? leave.signal : new AbortController().signal
      const wait = client.lock(name).withLock({ waitMs: 15_000, signal }, async () => {
        order.push(index)
        await open.opened
      })
      waits.push(wait.catch(() => 'left'))
      await until(async () => (await lineOf(name)).length === index + 2, { what: 'it stands in line' })
    }
    leave.abort()
    await until(async () => (await lineOf(name)).length === 3, { what: 'one has left' })
    expect(order).toEqual([])
    // What was sent to it before this answer has arrived.
    await clients[2]?.lock(name).isLocked()
    const heard = taps.map(({ events }) => events)
    await hold.release()
    await until(() => order.length > 0, { what: 'the first is in' })
    await clients[2]?.lock(name).isLocked()
    const since = taps.map(({ events }, index) => events - (heard[index] ?? 0))
    expect([since[0], since[2]]).toEqual([1, 0])
    open.open()
    await Promise.all(waits)
    expect(order).toEqual([0, 2])
  })

  test('whoever waits looks once, as its own server knows the line, unless the end before it decides', async () => {
    const name = lockName()
    const hold = await scene.holdfast(server.address).lock(name).acquire()
    const taps = [await Tap.before(server), await Tap.before(server)]
    const waits = []
    for (const [index, tap] of taps.entries()) {
      waits.push(
        scene
          .holdfast(scene.keep(tap).address)
          .lock(name)
          .withLock({ waitMs: 15_000 }, () => undefined),
      )
      await until(async () => (await lineOf(name)).length === index + 2, { what: 'it stands in line' })
    }
    await hold.release()
    await Promise.all(waits)
    // How often a node is watched depends on how long it stands; what came before belongs to the session.
    const [behindTheHolder, behindBoth] = taps.map((tap) =>
      tap.asked.slice(tap.asked.indexOf('create')).filter((each) => !['getData', 'ping'].includes(each)),
    )
    expect(behindTheHolder).toEqual(['create', 'getChildren', 'delete'])
    expect(behindBoth).toEqual(['create', 'getChildren', 'getChildren', 'delete'])
  })
})

describe('S10: tokens grow', () => {
  test('across hand-over, force, the removal of the folder, and a restart of the server', async () => {
    const own = scene.keep(await ZooKeeperServer.start())
    const [one, other] = [scene.holdfast(own.address), scene.holdfast(own.address)]
    const tokens: bigint[] = []
    const take = async (client: typeof one): Promise<void> => {
      const hold = await client.fencedLock('tokens').acquire({ waitMs: 20_000 })
      tokens.push(hold.fence ?? 0n)
      await hold.release()
    }
    await take(one)
    await Promise.all([take(one), take(one), take(other)])
    await one.fencedLock('tokens').acquire()
    await other.fencedLock('tokens').forceUnlock()
    await take(other)
    await (await scene.session(own.address)).request(deleteNode('/holdfast/tokens'))
    await take(one)
    await own.kill()
    await own.start()
    await own.serves()
    await take(other)
    expect(tokens).toEqual(tokens.toSorted((a, b) => (a < b ? -1 : 1)))
    expect(new Set(tokens).size).toBe(tokens.length)
  })
})
