/** Whatever a connection ends by, the next ones come at growing intervals: no server is stormed by a client that it turns away. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { rejectionOf } from '../../src/conformance/outcome.js'
import { eventually } from '../setup/eventually.js'
import { answer, GOOD, HostileServer, type Manners, welcome } from './hostile.js'
import { Scene } from './scene.js'

const scene = new Scene()

const PING = 11
/** For how long connections are counted, and the most that may come: a pause between two is half a second in the end. */
const WATCHED_MS = 1_500
const MOST = 20

const turnedAway: Readonly<Record<string, Partial<Manners>>> = {
  'the server hangs up': { welcome: () => undefined },
  'a welcome says that the session has ended': { welcome: () => welcome(0) },
  'a welcome has a negative time': { welcome: () => welcome(-1) },
  'a welcome is to no session': { welcome: () => welcome(30_000, 0n) },
  'a welcome cannot be read': { welcome: () => Buffer.alloc(8, 0xff) },
  'a welcome has no password': { welcome: () => welcome(30_000, 42n, Buffer.alloc(0)) },
  'the first request is answered by hanging up': { answer: () => undefined },
  'a request is answered with another number': { answer: ({ xid }) => answer(xid + 1) },
  'all is answered, and the connection ends': { answer: ({ xid, at }) => (at > 0 ? undefined : answer(xid)) },
  'every ping is answered as another': { answer: ({ xid, type }) => answer(type === PING ? -4 : xid) },
}

/** How many connections come to each such server within the time. */
async function counted(work: (server: HostileServer, manners: Manners) => Promise<number>) {
  return await Promise.all(
    Object.entries(turnedAway).map(async ([way, manners]) => {
      const server = scene.keep(await HostileServer.start(GOOD))
      return { way, connections: await work(server, { ...GOOD, ...manners }) }
    }),
  )
}

test('faults B11: a client that is turned away, in whatever way, comes again at growing intervals', async () => {
  const counts = await counted(async (server, manners) => {
    server.manners = manners
    const holdfast = scene.holdfast(server.address, { commandTimeoutMs: 1_000, watchdogMs: 3_000 })
    holdfast.on('error', () => undefined)
    const leave = new AbortController()
    const { signal } = leave
    const waits = [1, 2, 3].map((n) => rejectionOf(holdfast.lock(`lock${n}`).acquire({ signal })))
    await sleep(WATCHED_MS)
    const { connections } = server
    // It does come again, however slow the machine.
    await eventually(() => server.connections > 1)
    leave.abort()
    await Promise.all(waits)
    return connections
  })
  expect(counts.filter(({ connections }) => connections > MOST)).toEqual([])
})

test('faults B11: a session that was good, and whose client is turned away from then on, asks at growing intervals', async () => {
  const counts = await counted(async (server, manners) => {
    const session = await scene.session(server.address, { timeoutMs: 30_000, commandTimeoutMs: 1_000 })
    await session.ping()
    server.manners = manners
    server.breakAll()
    const before = server.connections
    const until = Date.now() + WATCHED_MS
    while (Date.now() < until) await session.ping().catch(() => sleep(1))
    return server.connections - before
  })
  expect(counts.filter(({ connections }) => connections > MOST)).toEqual([])
})
