/** Entries in etcd's lines: which keys they are, who hears of them, and what becomes of requests whose answers are lost. */
import { describe, expect, test } from 'vitest'
import { EtcdServer } from '../servers/etcd/index.js'
import { duringAll } from '../setup/during.js'
import { eventually } from '../setup/eventually.js'
import { lasting } from '../setup/lasting.js'
import { anyLock, keysIn, linkTo, watchedOn, wireTo } from './scene.js'

const server = duringAll(() => EtcdServer.start())

function linked(...[servers, terms]: Partial<Parameters<typeof linkTo>>) {
  return linkTo(servers ?? [server], terms)
}

const standing = { mode: 'lock', ifFree: false } as const

describe('keys', () => {
  test('an entry of the lock NAME is a key below PREFIX NAME, tied to the lease of the session', async () => {
    const { link, key } = linked(undefined, { prefix: 'app/' })
    const { session } = await link.begin(5_000)
    const own = key()
    await link.stand({ ...standing, lock: anyLock('invoice:42'), session, key: own })
    const [stored = ''] = await keysBelow('app/')
    expect(stored).toMatch(/^app\/invoice:42\/[0-9a-f-]+$/)
    expect(await server.ctl('get', stored, '--print-value-only')).toContain(own)
    const lease = BigInt(session).toString(16)
    const told = await server.ctl('lease', 'timetolive', lease, '--keys')
    expect(told).toContain(stored)
    expect(told).toContain('granted with TTL(6s)')
  })

  test('a lock that is taken again and again has one key, since etcd looks at every one that ever was', async () => {
    const { link, key } = linked()
    const lock = anyLock()
    const { session } = await link.begin(30_000)
    const seen = new Set<string>()
    for (let time = 0; time < 5; time += 1) {
      const own = key()
      expect(keysIn(await link.stand({ ...standing, lock, session, key: own }))).toEqual([own])
      for (const stored of await keysBelow(`holdfast/${lock.name}/`)) seen.add(stored)
      expect(await link.remove(lock, own)).toBe(true)
    }
    expect(seen.size).toBe(1)
  })

  test('entries that stand at the same time have keys of their own; another client removes one by what it is called in line', async () => {
    const { link, key } = linked()
    const lock = anyLock()
    const { session } = await link.begin(30_000)
    const keys = [key(), key(), key()]
    for (const each of keys) await link.stand({ ...standing, lock, session, key: each })
    expect(await keysBelow(`holdfast/${lock.name}/`)).toHaveLength(3)
    const { link: other } = linked()
    expect(await other.remove(lock, keys[1] ?? '')).toBe(true)
    expect(await other.remove(lock, keys[1] ?? '')).toBe(false)
    expect(keysIn(await link.read(lock))).toEqual([keys[0], keys[2]])
  })

  test('what nothing keeps alive, and what lies deeper, is in no line and keeps nobody out', async () => {
    const { link, key } = linked(undefined, { prefix: '' })
    const lock = anyLock()
    await server.ctl('put', `${lock.name}/settings`, 'of another program')
    await server.ctl('put', `${lock.name}/deeper/still`, 'of another program')
    const { session } = await link.begin(30_000)
    const own = key()
    expect(keysIn(await link.stand({ ...standing, lock, session, key: own, ifFree: true }))).toEqual([own])
  })
})

test('faults A1: an entry whose lease no timer can take is one of another program, for as long as is usual', async () => {
  const { link } = linked()
  const lock = anyLock()
  const lease = /lease (\w+) granted/.exec(await server.ctl('lease', 'grant', '60'))?.[1] ?? ''
  await server.ctl('put', `holdfast/${lock.name}/x`, `lock ${'9'.repeat(400)} x`, `--lease=${lease}`)
  expect(await link.read(lock)).toMatchObject([{ mode: 'lock', remainingMs: 30_000 }])
})

describe('lines', () => {
  test('mode and order of the write that it reads within come back, and so do they after a lease of its own', async () => {
    const { link, key } = linked()
    const lock = { keyspace: 'read-write', name: anyLock().name } as const
    const { session } = await link.begin(30_000)
    const own = key()
    await link.stand({ lock, session, key: own, mode: 'read', within: 4711n, ifFree: false })
    await link.lease({ lock, key: own, session, leaseMs: 60_000 })
    const [entry] = await link.read(lock)
    expect(entry).toMatchObject({ mode: 'read', within: 4711n, remainingMs: 60_000 })
  })

  test('where the session has ended nobody stands', async () => {
    const { link, key } = linked()
    const lock = anyLock()
    const { session } = await link.begin(30_000)
    await link.end(session)
    expect(await link.stand({ ...standing, lock, session, key: key() })).toBeUndefined()
    expect(await link.keepAlive(session)).toBe(false)
    expect(await link.read(lock)).toEqual([])
  })
})

describe('an entry that goes', () => {
  test('is told to whom it belongs, if it did not remove it itself', async () => {
    const { link, key, told } = linked()
    const lock = anyLock()
    const { session } = await link.begin(30_000)
    const [lost, left] = [key(), key()]
    for (const each of [lost, left]) await link.stand({ ...standing, lock, session, key: each })
    await link.remove(lock, left)
    const [storedLost = ''] = await keysBelow(`holdfast/${lock.name}/`)
    await server.ctl('del', storedLost)
    await eventually(() => told.gone.length > 0)
    expect(told.gone).toEqual([lost])
  })

  test('S7: is told also if that happened while the connection was away, and one that stands still is not', async () => {
    const { wire, url } = await wireTo(server)
    const { link, key, told } = linked([{ url }])
    const lock = anyLock()
    const { session } = await link.begin(30_000)
    const [lost, kept] = [key(), key()]
    for (const each of [lost, kept]) await link.stand({ ...standing, lock, session, key: each })
    const [storedLost = ''] = await keysBelow(`holdfast/${lock.name}/`)
    await watched()
    wire.refuse()
    wire.breakAll()
    await eventually(() => told.suspended.length > 0)
    await server.ctl('del', storedLost)
    wire.heal('lost')
    await eventually(() => told.gone.length > 0)
    expect(await link.keepAlive(session)).toBe(true)
    expect(told.gone).toEqual([lost])
  })

  test('a predecessor that is gone before it is watched is told at once', async () => {
    const { link, key } = linked()
    const other = linked()
    const lock = anyLock()
    const [{ session }, theirs] = [await link.begin(30_000), await other.link.begin(30_000)]
    const before = other.key()
    await other.link.stand({ ...standing, lock, session: theirs.session, key: before })
    const line = await link.stand({ ...standing, lock, session, key: key() })
    await other.link.remove(lock, before)
    const told: boolean[] = []
    const [entry] = line ?? []
    if (!entry) throw new Error('somebody stands there')
    link.watch(lock, entry, (sure) => told.push(sure))
    await eventually(() => told.length > 0)
    expect(told).toEqual([false])
  })

  test('a neighbour that comes again with the same key is another entry', async () => {
    const { link, key } = linked(undefined, { prefix: '' })
    const lock = anyLock()
    const lease = /lease (\w+) granted/.exec(await server.ctl('lease', 'grant', '60'))?.[1] ?? ''
    const theirs = `${lock.name}/${lease}`
    await server.ctl('put', theirs, '', `--lease=${lease}`)
    const { session } = await link.begin(30_000)
    const [entry] = (await link.stand({ ...standing, lock, session, key: key() })) ?? []
    if (!entry) throw new Error('somebody stands there')
    await server.ctl('del', theirs)
    await server.ctl('put', theirs, '', `--lease=${lease}`)
    const told: boolean[] = []
    link.watch(lock, entry, (sure) => told.push(sure))
    await eventually(() => told.length > 0)
    expect((await link.read(lock)).map(({ key: each }) => each)).toHaveLength(2)
  })
})

describe('answers that are lost', () => {
  /**
   * A client that goes to the server by the first wire, and by the other once that lets it: with two open ways it would leave the first one for a
   * connection or an answer that comes late.
   */
  async function byTwoWays() {
    const [first, other] = [await wireTo(server), await wireTo(server)]
    other.wire.refuse()
    const { link, key } = linked([first, other], { commandTimeoutMs: lasting(1_000) })
    return { link, key, wire: first.wire, other: other.wire }
  }

  test('S3: a request that is sent again makes no second entry', async () => {
    const { wire, url } = await wireTo(server)
    const { link, key } = linked([{ url }], { commandTimeoutMs: lasting(1_000) })
    const lock = anyLock()
    const { session } = await link.begin(30_000)
    const own = key()
    wire.silence('down')
    await expect(link.stand({ ...standing, lock, session, key: own })).rejects.toMatchObject({
      transient: true,
    })
    wire.heal('lost')
    expect(keysIn(await link.stand({ ...standing, lock, session, key: own }))).toEqual([own])
    expect(keysIn(await link.read(lock))).toEqual([own])
  })

  test('S3: an entry that was removed is not made by a request that comes late', async () => {
    const { link, key, wire, other } = await byTwoWays()
    const lock = anyLock()
    const { session } = await link.begin(30_000)
    const own = key()
    // What is sent waits on the wire, and the client goes on by another server.
    wire.silence('up')
    await expect(link.stand({ ...standing, lock, session, key: own })).rejects.toMatchObject({
      transient: true,
    })
    other.heal()
    expect(await link.remove(lock, own)).toBe(false)
    wire.heal('delivered')
    // The same request on a connection that works.
    expect(keysIn(await link.stand({ ...standing, lock, session, key: own }))).toEqual([])
    expect(keysIn(await link.read(lock))).toEqual([])
    expect(await link.keepAlive(session)).toBe(true)
  })

  test('S3: an entry is not removed by a request about an earlier one that comes late', async () => {
    const { link, key, wire, other } = await byTwoWays()
    const lock = anyLock()
    const { session } = await link.begin(30_000)
    const [first, second] = [key(), key()]
    await link.stand({ ...standing, lock, session, key: first })
    const [stored = ''] = await keysBelow(`holdfast/${lock.name}/`)
    wire.silence('up')
    await expect(link.remove(lock, first)).rejects.toMatchObject({ transient: true })
    other.heal()
    expect(await link.remove(lock, first)).toBe(true)
    await link.stand({ ...standing, lock, session, key: second })
    wire.heal('delivered')
    // The same request on a connection that works.
    await server.ctl('del', stored)
    expect(keysIn(await link.read(lock))).toEqual([second])
  })

  test('S3: a lease that was asked for twice is the later one', async () => {
    const { link, key, wire, other } = await byTwoWays()
    const lock = anyLock()
    const { session } = await link.begin(30_000)
    const own = key()
    await link.stand({ ...standing, lock, session, key: own })
    wire.silence('down')
    await expect(link.lease({ lock, key: own, session, leaseMs: 2_000 })).rejects.toMatchObject({
      transient: true,
    })
    other.heal()
    wire.breakAll()
    expect(await link.lease({ lock, key: own, session, leaseMs: 60_000 })).toBe(true)
    expect((await link.read(lock)).map(({ remainingMs }) => remainingMs)).toEqual([60_000])
    await link.end(session)
    expect(keysIn(await link.read(lock))).toEqual([own])
    expect(await link.remove(lock, own)).toBe(true)
  })
})

async function keysBelow(prefix: string): Promise<string[]> {
  return (await server.ctl('get', '--prefix', prefix, '--keys-only')).split('\n').filter(Boolean)
}

/** The link watches its own entries once they have stood for a while. */
async function watched(): Promise<void> {
  await eventually(async () => (await watchedOn(server)) >= 2)
}
