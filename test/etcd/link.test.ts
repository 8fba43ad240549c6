/** Entries in etcd's lines: which keys they are, who hears of them, and what becomes of requests whose answers are lost. */
import { beforeEach, describe, expect, test } from 'vitest'
import { EtcdServer } from '../servers/etcd/index.js'
import { duringAll } from '../setup/during.js'
import { eventually } from '../setup/eventually.js'
import { lasting } from '../setup/lasting.js'
import { anyLock, type linkTo, memberOf, watchedOn, wireTo } from './scene.js'

const server = duringAll(() => EtcdServer.start())

let lock = anyLock()
beforeEach(() => {
  lock = anyLock()
})

const member = (...[servers = [server], terms]: Partial<Parameters<typeof linkTo>>) =>
  memberOf(lock, servers, terms)

const keysBelow = async (prefix = `holdfast/${lock.name}/`): Promise<string[]> =>
  (await server.ctl('get', '--prefix', prefix, '--keys-only')).split('\n').filter(Boolean)

/** A lease of another program. */
async function granted(): Promise<string> {
  return /lease (\w+) granted/.exec(await server.ctl('lease', 'grant', '60'))?.[1] ?? ''
}

describe('keys', () => {
  test('an entry of the lock NAME is a key below PREFIX NAME, tied to the lease of the session', async () => {
    const { link, key } = await member(undefined, { prefix: 'app/' })
    const [{ session }, own] = [await link.begin(5_000), key()]
    const invoice = { keyspace: 'lock', name: 'invoice:42' } as const
    await link.stand({ mode: 'lock', ifFree: false, lock: invoice, session, key: own })
    const [stored = ''] = await keysBelow('app/')
    expect(stored).toMatch(/^app\/invoice:42\/[0-9a-f-]+$/)
    expect(await server.ctl('get', stored, '--print-value-only')).toContain(own)
    const told = await server.ctl('lease', 'timetolive', BigInt(session).toString(16), '--keys')
    expect(told).toContain(stored)
    expect(told).toContain('granted with TTL(6s)')
  })

  test('a lock that is taken again and again has one key, since etcd looks at every one that ever was', async () => {
    const { key, stand, read, leave } = await member()
    const seen = new Set<string>()
    for (let time = 0; time < 5; time += 1) {
      const own = key()
      await stand(own)
      expect(await read()).toEqual([own])
      for (const stored of await keysBelow()) seen.add(stored)
      expect(await leave()).toBe(true)
    }
    expect(seen.size).toBe(1)
  })

  test('entries that stand at the same time have keys of their own; another client removes one by what it is called in line', async () => {
    const [{ key, stand, read }, other] = [await member(), await member()]
    const keys = [key(), key(), key()] as const
    for (const each of keys) await stand(each)
    expect(await keysBelow()).toHaveLength(3)
    expect(await other.leave(keys[1])).toBe(true)
    expect(await other.leave(keys[1])).toBe(false)
    expect(await read()).toEqual([keys[0], keys[2]])
  })

  test('what nothing keeps alive, and what lies deeper, is in no line and keeps nobody out', async () => {
    const { key, stand } = await member(undefined, { prefix: '' })
    await server.ctl('put', `${lock.name}/settings`, 'of another program')
    await server.ctl('put', `${lock.name}/deeper/still`, 'of another program')
    const own = key()
    expect(await stand(own, { ifFree: true })).toMatchObject([{ key: own }])
  })
})

test('faults A1: an entry whose lease no timer can take is one of another program, for as long as is usual', async () => {
  const { link } = await member()
  const value = `lock ${'9'.repeat(400)} x`
  await server.ctl('put', `holdfast/${lock.name}/x`, value, `--lease=${await granted()}`)
  expect(await link.read(lock)).toMatchObject([{ mode: 'lock', remainingMs: 30_000 }])
})

describe('lines', () => {
  test('mode and order of the write that it reads within come back, and so do they after a lease of its own', async () => {
    const { link, session, key } = await member()
    const own = { lock: { ...lock, keyspace: 'read-write' }, key: key(), session } as const
    await link.stand({ ...own, mode: 'read', within: 4711n, ifFree: false })
    await link.lease({ ...own, leaseMs: 60_000 })
    expect(await link.read(own.lock)).toMatchObject([{ mode: 'read', within: 4711n, remainingMs: 60_000 }])
  })

  test('where the session has ended nobody stands', async () => {
    const { link, session, stand, read } = await member()
    await link.end(session)
    expect(await stand()).toBeUndefined()
    expect(await link.keepAlive(session)).toBe(false)
    expect(await read()).toEqual([])
  })
})

describe('an entry that goes', () => {
  test('is told to whom it belongs, if it did not remove it itself', async () => {
    const { key, stand, leave, told } = await member()
    const [lost, left] = [key(), key()]
    for (const each of [lost, left]) await stand(each)
    await leave(left)
    const [storedLost = ''] = await keysBelow()
    await server.ctl('del', storedLost)
    await eventually(() => told.gone.length > 0)
    expect(told.gone).toEqual([lost])
  })

  test('S7: is told also if that happened while the connection was away, and one that stands still is not', async () => {
    const { wire, url } = await wireTo(server)
    const { link, session, key, stand, told } = await member([{ url }])
    const [lost, kept] = [key(), key()]
    for (const each of [lost, kept]) await stand(each)
    const [storedLost = ''] = await keysBelow()
    // The link watches its own entries once they have stood for a while.
    await eventually(async () => (await watchedOn(server)) >= 2)
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
    const [{ stand, watch }, other] = [await member(), await member()]
    await other.stand()
    const line = await stand()
    await other.leave()
    const { sure } = watch(line)
    await eventually(() => sure.length > 0)
    expect(sure).toEqual([false])
  })

  test('a neighbour that comes again with the same key is another entry', async () => {
    const { stand, watch, read } = await member(undefined, { prefix: '' })
    const lease = await granted()
    const theirs = [`${lock.name}/${lease}`, '', `--lease=${lease}`] as const
    await server.ctl('put', ...theirs)
    const line = await stand()
    await server.ctl('del', theirs[0])
    await server.ctl('put', ...theirs)
    const { sure } = watch(line)
    await eventually(() => sure.length > 0)
    expect(await read()).toHaveLength(2)
  })
})

describe('answers that are lost', () => {
  /** A client that goes by the first wire, and by the other once that lets it: with two open ways it would leave the first for whatever comes late. */
  async function byTwoWays() {
    const [first, other] = [await wireTo(server), await wireTo(server)]
    other.wire.refuse()
    const made = await member([first, other], { commandTimeoutMs: lasting(1_000) })
    return { ...made, own: made.key(), wire: first.wire, other: other.wire }
  }

  const unanswered = async (request: Promise<unknown>): Promise<void> =>
    await expect(request).rejects.toMatchObject({ transient: true })

  test('S3: a request that is sent again makes no second entry', async () => {
    const { own, stand, read, wire } = await byTwoWays()
    wire.silence('down')
    await unanswered(stand(own))
    wire.heal('lost')
    expect(await stand(own)).toMatchObject([{ key: own }])
    expect(await read()).toEqual([own])
  })

  test('S3: an entry that was removed is not made by a request that comes late', async () => {
    const { link, session, own, stand, leave, read, wire, other } = await byTwoWays()
    // What is sent waits on the wire, and the client goes on by another server.
    wire.silence('up')
    await unanswered(stand(own))
    other.heal()
    expect(await leave()).toBe(false)
    wire.heal('delivered')
    // The same request on a connection that works.
    expect(await stand(own)).toEqual([])
    expect(await read()).toEqual([])
    expect(await link.keepAlive(session)).toBe(true)
  })

  test('S3: an entry is not removed by a request about an earlier one that comes late', async () => {
    const { own, key, stand, leave, read, wire, other } = await byTwoWays()
    await stand(own)
    const [stored = ''] = await keysBelow()
    wire.silence('up')
    await unanswered(leave())
    other.heal()
    expect(await leave()).toBe(true)
    const second = key()
    await stand(second)
    wire.heal('delivered')
    // The same request on a connection that works.
    await server.ctl('del', stored)
    expect(await read()).toEqual([second])
  })

  test('S3: a lease that was asked for twice is the later one', async () => {
    const { link, session, own, stand, leave, read, wire, other } = await byTwoWays()
    await stand(own)
    wire.silence('down')
    await unanswered(link.lease({ lock, key: own, session, leaseMs: 2_000 }))
    other.heal()
    wire.breakAll()
    expect(await link.lease({ lock, key: own, session, leaseMs: 60_000 })).toBe(true)
    expect((await link.read(lock)).map(({ remainingMs }) => remainingMs)).toEqual([60_000])
    await link.end(session)
    expect(await read()).toEqual([own])
    expect(await leave()).toBe(true)
  })
})
