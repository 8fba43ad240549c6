/** Watches that are kept for the next wait behind the same key. */
import { beforeEach, describe, expect, test } from 'vitest'
import { Watches } from '../../src/stores/etcd/client/watches.js'
import { EtcdServer } from '../servers/etcd/index.js'
import { until } from '../servers/until.js'
import { duringAll } from '../setup/during.js'
import { eventually } from '../setup/eventually.js'
import { anyLock, clientOf, counted, memberOf, watchedOn, wireTo } from './scene.js'

let lock = anyLock()

const server = duringAll(() => EtcdServer.start())
beforeEach(() => {
  lock = anyLock()
})

const linked = (servers: Parameters<typeof memberOf>[1] = [server]) => memberOf(lock, servers)

const requests = () => counted(server, 'grpc_server_msg_received_total{grpc_method="Watch"')
const events = () => counted(server, 'etcd_debugging_mvcc_events_total')

/** How many requests or events more there may be where the machine is slow: an own entry that has stood for 100 ms is watched too, and a watch rests for a second. */
function besides(begunAt: number): number {
  return performance.now() - begunAt > 50 ? 3 : 0
}

/** Two clients, of which the other has waited behind the first once, and heard of its end. */
async function acquainted(...servers: Parameters<typeof linked>) {
  const [first, other] = [await linked(), await linked(...servers)]
  const turn = async (): Promise<void> => {
    await first.stand()
    const { sure } = other.watch(await other.stand())
    await first.leave()
    await eventually(() => sure.length > 0)
    await other.leave()
  }
  await turn()
  return { first, other, turn }
}

describe('a client that waits behind the same one again and again', () => {
  test('W6: asks for a watch once', async () => {
    const before = await requests()
    let begunAt = performance.now()
    const { turn } = await acquainted()
    let more = besides(begunAt)
    for (let count = 1; count < 5; count += 1) {
      begunAt = performance.now()
      await turn()
      more += besides(begunAt)
    }
    const sent = (await requests()) - before
    expect(sent).toBeGreaterThan(0)
    expect(sent).toBeLessThanOrEqual(1 + more)
  })

  test('W6: hears at once of an end that came before it began to wait', async () => {
    const { first, other } = await acquainted()
    const begunAt = performance.now()
    await first.stand()
    const behind = await other.stand()
    await first.leave()
    const sent = await requests()
    const { sure } = other.watch(behind)
    await eventually(() => sure.length > 0)
    expect(await requests()).toBeLessThanOrEqual(sent + besides(begunAt))
  })

  test('W6: does not take the end of an earlier entry for that of a later one', async () => {
    const { first, other } = await acquainted()
    await first.stand()
    await first.leave()
    await first.stand()
    const { sure } = other.watch(await other.stand())
    await other.read()
    expect(sure).toEqual([])
    await first.leave()
    await eventually(() => sure.length > 0)
  })

  test('W7: looks, after a break, whether what it waits for is still there', async () => {
    const { wire, url } = await wireTo(server)
    const { first, other } = await acquainted([{ url }])
    await first.stand()
    const behind = await other.stand()
    wire.refuse()
    wire.breakAll()
    await first.leave()
    wire.heal('lost')
    await until(() => other.read(), { what: 'it is connected again' })
    const { sure } = other.watch(behind)
    await eventually(() => sure.length > 0)
  })
})

describe('a watch that nobody waits by', () => {
  test('S6: is told of two ends at most', async () => {
    const { first, other } = await acquainted()
    const before = await events()
    let more = 0
    for (let count = 0; count < 5; count += 1) {
      const begunAt = performance.now()
      await first.stand()
      await first.leave()
      // What it sends because of that has been sent by then, and what it reads is answered after that.
      await other.read()
      more += besides(begunAt)
    }
    await eventually(async () => (await watchedOn(server)) === 0)
    expect((await events()) - before).toBeLessThanOrEqual(2 + more)
  })

  test('S6: ends when another entry of that lock is waited for', async () => {
    const [{ other }, third] = [await acquainted(), await linked()]
    await third.stand()
    const { sure } = other.watch(await other.stand())
    await eventually(async () => (await watchedOn(server)) === 1)
    await third.leave()
    await eventually(() => sure.length > 0)
  })

  test('ends when the client does not come back', async () => {
    await acquainted()
    await eventually(async () => (await watchedOn(server)) === 0)
  })

  test('leaves nothing behind when the connection breaks', async () => {
    const { wire, url } = await wireTo(server)
    const { client, schedule } = clientOf([{ url }])
    const watches = new Watches(client, () => undefined)
    const begun: bigint[] = []
    const listener = { begun: (at: bigint) => begun.push(at) }
    const end = watches.watch({ key: Buffer.from('rests') }, listener, 'line')
    await eventually(() => begun.length > 0)
    end(1n)
    expect(schedule.size).toBeGreaterThan(0)
    wire.refuse()
    wire.breakAll()
    await eventually(() => schedule.size === 0)
  })
})
