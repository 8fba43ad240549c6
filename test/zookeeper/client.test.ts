/** The client of ZooKeeper's protocol, on a server. */
import { describe, expect, test } from 'vitest'
import { addressText } from '../../src/base/checks/address.js'
import { InvalidArgumentError } from '../../src/index.js'
import { parseServers } from '../../src/stores/zookeeper/client/address.js'
import {
  createContainer,
  createNumbered,
  deleteNode,
  getChildren,
  getData,
  sync,
} from '../../src/stores/zookeeper/client/operations.js'
import { codes, RefusedError } from '../../src/stores/zookeeper/client/result-codes.js'
import {
  NoAnswerError,
  SessionOverError,
  type ZooKeeperSession,
} from '../../src/stores/zookeeper/client/session.js'
import { until } from '../servers/until.js'
import { ZooKeeperServer } from '../servers/zookeeper/index.js'
import { duringAll } from '../setup/during.js'
import { lasting } from '../setup/lasting.js'
import { Scene } from './scene.js'
import { Tap } from './tap.js'

const ANYONE = [{ scheme: 'world', id: 'anyone' }]

const server = duringAll(() => ZooKeeperServer.start())

const scene = new Scene()
let folders = 0

async function folderBy(session: ZooKeeperSession): Promise<string> {
  folders += 1
  const { path } = await session.request(createContainer(`/folder-${folders}`, ANYONE))
  return path
}

/** A session on a wire, one that goes straight to the server, and a folder there. */
async function tapped(terms: Parameters<Scene['session']>[1] = {}) {
  const tap = scene.keep(await Tap.before(server))
  const [session, other] = [await scene.session(tap.address, terms), await scene.session(server.address)]
  return { tap, session, other, folder: await folderBy(other) }
}

function entryIn(folder: string, name = 'entry-') {
  return createNumbered(`${folder}/${name}`, ANYONE, Buffer.from('data'))
}

describe('requests', () => {
  test('are answered in order, and two of one turn are one flight', async () => {
    const session = await scene.session(server.address)
    const folder = await folderBy(session)
    const [created, children] = await Promise.all([
      session.request(entryIn(folder)),
      session.request(getChildren(folder)),
    ])
    expect(created).toMatchObject({ path: `${folder}/entry-0000000000`, stat: { session: session.id } })
    expect(children).toEqual(['entry-0000000000'])
    const { data, stat } = await session.request(getData(created.path))
    expect(data.toString()).toBe('data')
    expect(stat).toEqual(created.stat)
    await session.request(sync(folder))
    expect(await session.request(deleteNode(created.path))).toBe(true)
    expect(await session.request(getChildren(folder))).toEqual([])
  })

  test('that are refused say by which code, and the next goes on', async () => {
    const session = await scene.session(server.address)
    await expect(session.request(getChildren('/nowhere'))).rejects.toMatchObject({ code: codes.noNode })
    await expect(session.request(createContainer('/zookeeper', ANYONE))).rejects.toMatchObject({
      code: codes.nodeExists,
    })
    await expect(session.request(entryIn('no path'))).rejects.toBeInstanceOf(RefusedError)
    expect(await session.request(getChildren('/'))).toContain('zookeeper')
  })

  test('C3: a server that hangs: rejected in time, and with it all that came after', async () => {
    const { tap, session } = await tapped({ timeoutMs: 30_000, commandTimeoutMs: lasting(300) })
    tap.blackHole()
    const both = [session.request(getChildren('/')), session.ping()]
    for (const each of both) await expect(each).rejects.toBeInstanceOf(NoAnswerError)
    tap.heal()
    tap.breakAll()
    const children = await until(() => session.request(getChildren('/')), { what: 'the next is answered' })
    expect(children).toContain('zookeeper')
  })

  test('thousands at once, and names of half a megabyte', async () => {
    const session = await scene.session(server.address, { commandTimeoutMs: 15_000 })
    const folder = await folderBy(session)
    const made = await Promise.all(Array.from({ length: 3_000 }, () => session.request(entryIn(folder))))
    expect(new Set(made.map(({ path }) => path)).size).toBe(3_000)
    expect(await session.request(getChildren(folder))).toHaveLength(3_000)
    const long = await session.request(createContainer(`${folder}/${'x'.repeat(500_000)}`, ANYONE))
    expect(await session.request(getChildren(long.path))).toEqual([])
  })
})

describe('a session', () => {
  test('ends at once when it is ended, with what it made', async () => {
    const { session, other, folder } = await tapped()
    await session.request(entryIn(folder))
    await session.end()
    expect(await other.request(getChildren(folder))).toEqual([])
    await expect(session.request(getChildren(folder))).rejects.toBeInstanceOf(SessionOverError)
  })

  test('that the server has ended is told of once, when the client comes back', async () => {
    const told: unknown[] = []
    const onExpired = (): void => void told.push('expired')
    const { tap, session, other, folder } = await tapped({ timeoutMs: 300, onExpired })
    await session.request(entryIn(folder))
    tap.blackHole()
    await until(async () => (await other.request(getChildren(folder))).length === 0, { what: 'it ends' })
    tap.heal()
    tap.breakAll()
    const refusal = () => session.request(getChildren(folder)).catch((reason: unknown) => reason)
    await until(async () => (await refusal()) instanceof SessionOverError, { what: 'it is over' })
    expect(String(await refusal())).toContain('ended')
    expect(told).toEqual(['expired'])
    expect(session.over).toBe(true)
  })

  test('reattach: on another connection, with what was under way answered before', async () => {
    const suspended: unknown[] = []
    const { tap, session, folder } = await tapped({ onSuspended: (cause) => suspended.push(cause) })
    const before = session.request(entryIn(folder))
    session.reattach()
    const after = session.request(getChildren(folder))
    expect((await before).path).toBe(`${folder}/entry-0000000000`)
    expect(await after).toEqual(['entry-0000000000'])
    expect(suspended).toEqual([])
    await until(() => tap.open.length === 1, { what: 'one connection is left' })
  })
})

describe('a watch', () => {
  test('tells once of the node’s end, at once also where it was gone before', async () => {
    const { session, other, folder } = await tapped()
    const { path } = await session.request(entryIn(folder))
    const told: string[] = []
    session.nodes.watch(path, () => told.push('one'))
    session.nodes.watch(path, () => told.push('other'))
    session.nodes.watch(path, () => told.push('called off')).close()
    await session.ping()
    await other.request(deleteNode(path))
    await until(() => told.length === 2, { what: 'both are told' })
    session.nodes.watch(path, () => told.push('late'))
    await until(() => told.length === 3, { what: 'the late one is told' })
    expect(told).toEqual(['one', 'other', 'late'])
  })

  test('outlives its connection, also when what it waits for happens meanwhile', async () => {
    const { tap, session, other, folder } = await tapped()
    const entries = await Promise.all([other.request(entryIn(folder)), other.request(entryIn(folder))])
    const told: string[] = []
    for (const { path } of entries)
      session.nodes.watch(path, (inOrder) => told.push(`${path.at(-1)} ${inOrder}`))
    await session.ping()
    tap.refuse()
    tap.breakAll()
    await other.request(deleteNode(entries[0].path))
    tap.heal()
    await until(() => told.length === 1, { what: 'the one that went is told' })
    // Two that went without a connection might be told in any order.
    expect(told).toEqual(['0 false'])
    await session.ping()
    await other.request(deleteNode(entries[1].path))
    await until(() => told.length === 2, { what: 'the other is told' })
    expect(told).toEqual(['0 false', '1 true'])
  })

  test('set while there is no connection it is set when there is one', async () => {
    const { tap, session, other, folder } = await tapped()
    const { path } = await other.request(entryIn(folder))
    await session.request(getChildren(folder))
    tap.refuse()
    tap.breakAll()
    await until(() => tap.open.length === 0, { what: 'the connection is gone' })
    const gone = new Promise<boolean>((resolve) => session.nodes.watch(path, resolve))
    tap.heal()
    await session.ping().catch(() => undefined)
    await other.request(deleteNode(path))
    await gone
  })
})

describe('the list of servers', () => {
  test.each([
    ['zoo', ['zoo:2181']],
    ['zoo1:1,zoo2 , [::1]:3', ['zoo1:1', 'zoo2:2181', '[::1]:3']],
    [['10.0.0.1:2182'], ['10.0.0.1:2182']],
  ])('%s', (given, expected) => {
    expect(parseServers(given).map(addressText)).toEqual(expected)
  })

  test.each(['', 'zoo:', 'zoo:0', 'zoo:65536', 'zoo/path', 'a b', [], [1], undefined, 'zoo:1,'])(
    'not %j',
    (given) => {
      expect(() => parseServers(given)).toThrow(InvalidArgumentError)
    },
  )
})
