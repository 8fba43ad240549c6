/** Watches that are kept for the next wait behind the same key. */
import { beforeEach, describe, expect, test } from 'vitest'
import { Watches } from '../../src/stores/etcd/client/watches.js'
import type { Entry } from '../../src/stores/session/line.js'
import { EtcdServer } from '../servers/etcd/index.js'
import { duringAll } from '../setup/during.js'
import { eventually } from '../setup/eventually.js'
import { anyLock, clientOf, counted, linkTo, watchedOn, wireTo } from './scene.js'

let lock = anyLock()

const server = duringAll(() => EtcdServer.start())
beforeEach(() => {
  lock = anyLock()
})

async function linked(servers: Parameters<typeof linkTo>[0] = [server]) {
  const { link, key } = linkTo(servers)
  const { session } = await link.begin(30_000)
  const stand = async () => {
    const own = key()
    const line = await link.stand({ lock, session, key: own, mode: 'lock', within: undefined, ifFree: false })
    return { own, line: line ?? [], leave: () => link.remove(lock, own) }
  }
  /** Waits for the end of that entry. */
  const watch = ([entry]: readonly Entry[]) => {
    if (!entry) throw new Error('nobody stands there')
    const wait = { told: false }
    link.watch(lock, entry, () => {
      wait.told = true
    })
    return wait
  }
  return { stand, watch, read: () => link.read(lock) }
}

const requests = () => counted(server, 'grpc_server_msg_received_total{grpc_method="Watch"')
const events = () => counted(server, 'etcd_debugging_mvcc_events_total')

/** How many requests or events more there may be where the machine is slow: an own entry that has stood for 100 ms is watched too, and a watch rests for a second. */
function besides(begunAt: number): number {
  return performance.now() - begunAt > 50 ? 3 : 0
}

/** The other waits behind the first, and hears of its end. */
async function turn(
  first: Awaited<ReturnType<typeof linked>>,
  other: Awaited<ReturnType<typeof linked>>,
): Promise<void> {
  const before = await first.stand()
  const behind = await other.stand()
  const wait = other.watch(behind.line)
  await before.leave()
  await eventually(() => wait.told)
  await behind.leave()
}

describe('a client that waits behind the same one again and again', () => {
  test('W6: asks for a watch once', async () => {
    const [first, other] = [await linked(), await linked()]
    const before = await requests()
    let more = 0
    for (let count = 0; count < 5; count += 1) {
      const begunAt = performance.now()
      await turn(first, other)
      more += besides(begunAt)
    }
    const sent = (await requests()) - before
    expect(sent).toBeGreaterThan(0)
    expect(sent).toBeLessThanOrEqual(1 + more)
  })

  test('W6: hears at once of an end that came before it began to wait', async () => {
    const [first, other] = [await linked(), await linked()]
    await turn(first, other)
    const begunAt = performance.now()
    const [before, behind] = [await first.stand(), await other.stand()]
    await before.leave()
    const sent = await requests()
    const wait = other.watch(behind.line)
    await eventually(() => wait.told)
    expect(await requests()).toBeLessThanOrEqual(sent + besides(begunAt))
  })

  test('W6: does not take the end of an earlier entry for that of a later one', async () => {
    const [first, other] = [await linked(), await linked()]
    await turn(first, other)
    await (await first.stand()).leave()
    const [before, behind] = [await first.stand(), await other.stand()]
    const wait = other.watch(behind.line)
    await other.read()
    expect(wait.told).toBe(false)
    await before.leave()
    await eventually(() => wait.told)
  })

  test('W7: looks, after a break, whether what it waits for is still there', async () => {
    const { wire, url } = await wireTo(server)
    const [first, other] = [await linked(), await linked([{ url }])]
    await turn(first, other)
    const [before, behind] = [await first.stand(), await other.stand()]
    wire.refuse()
    wire.breakAll()
    await before.leave()
    wire.heal('lost')
    await eventually(() =>
      other.read().then(
        () => true,
        () => false,
      ),
    )
    const wait = other.watch(behind.line)
    await eventually(() => wait.told)
  })
})

describe('a watch that nobody waits by', () => {
  test('S6: is told of two ends at most', async () => {
    const [first, other] = [await linked(), await linked()]
    await turn(first, other)
    const before = await events()
    let more = 0
    for (let count = 0; count < 5; count += 1) {
      const begunAt = performance.now()
      await (await first.stand()).leave()
      // What it sends because of that has been sent by then, and what it reads is answered after that.
      await other.read()
      more += besides(begunAt)
    }
    await eventually(async () => (await watchedOn(server)) === 0)
    expect((await events()) - before).toBeLessThanOrEqual(2 + more)
  })

  test('S6: ends when another entry of that lock is waited for', async () => {
    const [first, other, third] = [await linked(), await linked(), await linked()]
    await turn(first, other)
    const before = await third.stand()
    const behind = await other.stand()
    const wait = other.watch(behind.line)
    await eventually(async () => (await watchedOn(server)) === 1)
    await before.leave()
    await eventually(() => wait.told)
  })

  test('ends when the client does not come back', async () => {
    const [first, other] = [await linked(), await linked()]
    await turn(first, other)
    await eventually(async () => (await watchedOn(server)) === 0)
  })

  test('leaves nothing behind when the connection breaks', async () => {
    const { wire, url } = await wireTo(server)
    const { client, schedule } = clientOf([{ url }])
    const watches = new Watches(client, schedule, 3_000, () => undefined)
    let begun = false
    const listener = {
      begun: () => {
        begun = true
      },
    }
    const end = watches.watch({ key: Buffer.from('rests') }, listener, 'line')
    await eventually(() => begun)
    end(1n)
    expect(schedule.size).toBeGreaterThan(0)
    wire.refuse()
    wire.breakAll()
    await eventually(() => schedule.size === 0)
  })
})
