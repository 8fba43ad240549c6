/** Clients and servers that reach each other in part: some directions, some servers, some connections. */
import { afterEach, expect, test } from 'vitest'
import { Holdfast, type HoldfastOptions, quorum } from '../../src/index.js'
import { RespProxy } from '../fault/proxy.js'
import { standaloneClient } from '../setup/clients.js'
import { duringAll } from '../setup/during.js'
import { eventually } from '../setup/eventually.js'
import { Fleet, TIMES } from './fleet.js'

const proxies: RespProxy[] = []

const fleet = duringAll(() => Fleet.bring(3))
afterEach(async () => {
  for (const proxy of proxies) {
    proxy.heal()
    proxy.breakAll()
  }
  await fleet.tidy()
  await Promise.all(proxies.splice(0).map((proxy) => proxy.stop()))
})

/** A client with a way of its own to each server. */
async function apart(options: HoldfastOptions = {}, client: object = {}) {
  const ways = await Promise.all(fleet.servers.map(({ host, port }) => RespProxy.before({ host, port })))
  proxies.push(...ways)
  const members = ways.map(({ host, port }) => standaloneClient({ ...client, host, port }))
  const holdfast = fleet.keep(new Holdfast(quorum(members), { ...TIMES, ...options }))
  return { holdfast, ways, end: () => members.map((member) => member.disconnect()) }
}

/** How that call ended: nobody may wait for it for longer than that. */
async function settled(call: Promise<unknown>, withinMs: number): Promise<unknown> {
  const late = new Promise((resolve) => setTimeout(resolve, withinMs, 'late'))
  return await Promise.race([call.catch((error: unknown) => error), late])
}

/** Its connections that are subscribed fall silent. */
async function silenceNews(ways: readonly RespProxy[], count: number): Promise<void> {
  for (const way of ways.slice(0, count)) {
    const subscribed = () =>
      way.open.filter(({ commands }) => commands.some((each) => each.name === 'SUBSCRIBE'))
    await eventually(() => subscribed().length > 0)
    for (const connection of subscribed()) connection.silence()
  }
}

test.each([1, 2, 3])(
  'W7: one that reaches all servers with its commands, and to which no messages come from %i of 3, has the lock after its next command elsewhere',
  async (count) => {
    const name = fleet.lockName()
    const direct = fleet.holdfast(TIMES)
    const hold = await direct.lock(name).acquire({ leaseMs: 60_000 })
    const { holdfast, ways, end } = await apart({ storeTimeoutMs: 60_000 }, { protocol: 2 })
    const waiting = holdfast.lock(name).acquire()
    await eventually(async () => (await direct.lock(name).countWaitingClients()) === 1)
    await silenceNews(ways, count)
    await hold.release()
    const elsewhere = setInterval(
      () =>
        void holdfast
          .lock(`${name}:other`)
          .isLocked()
          .catch(() => undefined),
      200,
    )
    const next = await settled(waiting, 20_000)
    clearInterval(elsewhere)
    expect(next).toHaveProperty('release')
    await (await waiting).release()
    await fleet.nothingLeft(name)
    end()
  },
  60_000,
)
