/** Whatever a connection ends by, the next ones come at growing intervals: no server is stormed by a client that it turns away. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { answer, HostileServer, type Manners, NOTHING, welcome } from './hostile.js'
import { Scene } from './scene.js'

const scene = new Scene()

const PING = 11
/** For how long connections are counted, and the most that may come: a pause between two is half a second in the end. */
const WATCHED_MS = 1_500
const MOST = 20

const turnedAway: Readonly<Record<string, Manners>> = {
  'the server hangs up': { welcome: () => undefined, answer: () => undefined },
  'a welcome says that the session has ended': { welcome: () => welcome(0), answer: () => NOTHING },
  'a welcome has a negative time': { welcome: () => welcome(-1), answer: () => NOTHING },
  'a welcome is to no session': { welcome: () => welcome(30_000, 0n), answer: () => NOTHING },
  'a welcome cannot be read': { welcome: () => Buffer.alloc(8, 0xff), answer: () => NOTHING },
  'a welcome has no password': {
    welcome: () => welcome(30_000, 42n, Buffer.alloc(0)),
    answer: () => NOTHING,
  },
  'the first request is answered by hanging up': {
    welcome: () => welcome(30_000),
    answer: () => undefined,
  },
  'a request is answered with another number': {
    welcome: () => welcome(30_000),
    answer: ({ xid }) => answer(xid + 1),
  },
  'all is answered, and the connection ends': {
    welcome: () => welcome(30_000),
    answer: ({ xid, at }) => (at > 0 ? undefined : answer(xid)),
  },
  'every ping is answered as if it were another': {
    welcome: () => welcome(30_000),
    answer: ({ xid, type }) => answer(type === PING ? -4 : xid),
  },
}

test('faults B11: a client that is turned away, in whatever way, comes again at growing intervals', async () => {
  const counted = Object.entries(turnedAway).map(async ([way, manners]) => {
    const server = scene.keep(await HostileServer.start(manners))
    const holdfast = scene.holdfast(server.address, { commandTimeoutMs: 1_000, watchdogMs: 3_000 })
    holdfast.on('error', () => undefined)
    const waits = [1, 2, 3].map((n) =>
      holdfast
        .lock(`lock ${n}`)
        .acquire({ waitMs: WATCHED_MS })
        .catch((error: unknown) => error),
    )
    await sleep(WATCHED_MS)
    const { connections } = server
    for (const outcome of await Promise.all(waits)) expect(outcome, way).toBeInstanceOf(Error)
    return { way, connections }
  })
  const counts = await Promise.all(counted)
  expect(counts.filter(({ connections }) => connections > MOST)).toEqual([])
  expect(counts.every(({ connections }) => connections > 1)).toBe(true)
})

test('faults B11: a session that was good, and whose client is turned away from then on, asks at growing intervals', async () => {
  const good: Manners = { welcome: () => welcome(30_000), answer: ({ xid }) => answer(xid) }
  const counted = Object.entries(turnedAway).map(async ([way, manners]) => {
    const server = scene.keep(await HostileServer.start(good))
    const session = await scene.session(server.address, { timeoutMs: 30_000, commandTimeoutMs: 1_000 })
    await session.ping()
    server.manners = manners
    server.breakAll()
    const before = server.connections
    const until = Date.now() + WATCHED_MS
    while (Date.now() < until) await session.ping().catch(() => sleep(1))
    return { way, connections: server.connections - before }
  })
  const counts = await Promise.all(counted)
  expect(counts.filter(({ connections }) => connections > MOST)).toEqual([])
})
