/** What a server makes up ends its connection with a typed error: nothing of it is believed, kept or grown into memory. */
import process from 'node:process'
import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { rejectionOf } from '../../src/conformance/outcome.js'
import type { JuteWriter } from '../../src/stores/zookeeper/client/jute.js'
import {
  createNumbered,
  getChildren,
  getData,
  watchNode,
} from '../../src/stores/zookeeper/client/operations.js'
import { failureOf } from '../../src/stores/zookeeper/failure.js'
import { until } from '../servers/until.js'
import { ZooKeeperServer } from '../servers/zookeeper/index.js'
import { answer, GOOD, HostileServer, type Manners, NOTHING, welcome } from './hostile.js'
import { Scene } from './scene.js'
import { Tap } from './tap.js'

const scene = new Scene()

const MARK = 'a-secret-that-is-in-no-error'
const [CREATE, EXISTS, GET_DATA, GET_CHILDREN, PING, EVENT] = [15, 3, 4, 8, 11, -1]
const ACL = [{ scheme: 'world', id: 'anyone' }]

const changed = answer(EVENT, (out) => out.int(3).int(3).text('/replies/watched'), 0, -1n)

const stat = (out: JuteWriter): JuteWriter => {
  out.long(5n).long(5n).long(0n).long(0n).int(0).int(0).int(0).long(42n)
  return out.int(0).int(0).long(5n)
}

const made: Readonly<Record<string, readonly [type: number, body: (out: JuteWriter) => JuteWriter]>> = {
  'a path of a length that is negative': [CREATE, (out) => stat(out.int(-2))],
  'a path of a huge length': [CREATE, (out) => stat(out.int(2 ** 31 - 1).text(MARK))],
  'the path of another node': [CREATE, (out) => stat(out.text(`/elsewhere/${MARK}`))],
  'a path without a number': [CREATE, (out) => stat(out.text(`/replies/entry-${MARK}`))],
  'no stat': [CREATE, (out) => out.text('/replies/entry-0000000001')],
  'half a stat': [CREATE, (out) => out.text('/replies/entry-0000000001').long(5n).int(1)],
  nothing: [CREATE, (out) => out],
  'more names than there are bytes': [GET_CHILDREN, (out) => out.int(1_000_000).text(MARK)],
  'a path for a name': [GET_CHILDREN, (out) => out.texts([`../${MARK}`])],
  'data that are cut off': [GET_DATA, (out) => out.int(100).text(MARK)],
}

/** A session with a server of such manners; otherwise they are good. */
async function sessionWith(manners: Partial<Manners>, terms: Parameters<Scene['session']>[1] = {}) {
  const server = scene.keep(await HostileServer.start({ ...GOOD, ...manners }))
  const times = { timeoutMs: 30_000, commandTimeoutMs: 5_000 }
  return { server, session: await scene.session(server.address, { ...times, ...terms }) }
}

test.each(Object.entries(made))('faults A1: %s is unreadable', async (_, [type, body]) => {
  const { session } = await sessionWith({
    answer: (request) => answer(request.xid, request.type === type ? body : undefined),
  })
  const operations = {
    [CREATE]: () => session.request(createNumbered('/replies/entry-', ACL)),
    [GET_CHILDREN]: () => session.request(getChildren('/replies')),
    [GET_DATA]: () => session.request(getData('/replies/entry')),
  }
  const failure = await rejectionOf(operations[type]?.() ?? expect.unreachable('no such operation'))
  const error = failureOf(failure, { command: 'acquire', lockName: 'name' })
  expect(error).toMatchObject({ reason: 'unreadable', transient: true, lockName: 'name' })
  expect(`${error.message} ${JSON.stringify(error)}`).not.toContain(MARK)
  expect(session.over).toBe(false)
  await session.ping()
})

test('faults A1: a welcome to another session is none, and the session goes on where it is known', async () => {
  const { server, session } = await sessionWith({})
  let told = 0
  server.manners = { ...GOOD, welcome: (asked) => welcome(30_000, told++ === 0 ? 7n : asked) }
  server.breakAll()
  await until(async () => (await session.ping()) ?? true, { what: 'it is connected again' })
  expect([session.id, session.over]).toEqual([42n, false])
  expect(told).toBe(2)
})

test('faults A1: a transaction number in an answer that is none is not believed', async () => {
  const { server, session } = await sessionWith({
    answer: ({ xid }) => answer(xid + 100, undefined, 0, 2n ** 62n),
  })
  await expect(session.ping()).rejects.toThrow('which was not asked')
  server.manners = GOOD
  await session.ping()
  expect(Math.max(...server.seen.map(Number))).toBe(0)
})

test('faults A1: a server that tells of one event after another, and answers nothing, is asked once, and given up', async () => {
  const flood = Buffer.concat(Array.from({ length: 20_000 }, () => changed))
  const ended: unknown[] = []
  const { server, session } = await sessionWith(
    {
      welcome: () => welcome(3_000),
      answer: ({ xid, type, at }) => {
        if (at === 0) return Buffer.concat([answer(xid, (out) => stat(out.text(''))), flood])
        return type === PING ? answer(xid) : NOTHING
      },
    },
    { timeoutMs: 3_000, commandTimeoutMs: 2_000, onSuspended: (cause) => ended.push(cause) },
  )
  session.nodes.watch('/replies/watched', () => undefined)
  const before = process.memoryUsage().rss
  // It goes on with events alone.
  const flooding = (async () => {
    for (let floods = 0; ended.length === 0 && floods < 1_000; floods += 1) {
      server.sendAll(flood)
      await setImmediate()
    }
  })()
  await until(() => ended.length > 0, { what: 'it is given up' })
  await flooding
  expect(server.requests).toBeLessThan(20)
  expect(process.memoryUsage().rss - before).toBeLessThan(200 * 2 ** 20)
})

test('W2: a change that is told of with the answer to the watch for it is not the last that is heard of', async () => {
  let watches = 0
  const { session } = await sessionWith({
    answer: ({ xid, type }) => {
      if (type !== EXISTS) return answer(xid)
      watches += 1
      return watches > 3 ? answer(xid) : Buffer.concat([answer(xid), changed])
    },
  })
  let told = 0
  session.nodes.watchChanges('/replies/watched', () => {
    told += 1
  })
  await session.request(watchNode('/replies/watched'))
  await until(() => watches === 4, { what: 'it is watched again after each change' })
  expect(told).toBe(3)
})

test('faults A1, L3: a lock is kept when a server makes up an answer, and goes on to be renewed', async () => {
  const server = scene.keep(await ZooKeeperServer.start())
  const tap = scene.keep(await Tap.before(server))
  const holdfast = scene.holdfast(tap.address, { watchdogMs: 3_000 })
  const told: string[] = []
  for (const event of ['lost', 'error'] as const) holdfast.on(event, () => told.push(event))
  const hold = await holdfast.lock('kept').acquire()
  const other = scene.holdfast(`${server.host}:${server.port}`)
  for (const reply of [
    Buffer.alloc(3),
    Buffer.alloc(40, 0xff),
    answer(1, (out) => out.int(-5)).subarray(4),
  ]) {
    const struck = tap.replaceReply('delete', reply)
    const renewed = new Promise((resolve) => holdfast.once('renewed', resolve))
    await struck
    await renewed
    expect(await other.lock('kept').tryAcquire()).toBeNull()
    expect(hold.signal.aborted).toBe(false)
  }
  expect(told).toEqual([])
  await hold.release()
})
