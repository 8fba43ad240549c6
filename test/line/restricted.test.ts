/** ACL users that may not use all that the line needs: they exclude others and are served, outside the line, and say so once. */
import { Cluster, type Redis } from 'ioredis5'
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest'
import { rejectionOf } from '../../src/conformance/outcome.js'
import type { Hold, Holdfast, HoldfastOptions } from '../../src/index.js'
import { Scene } from '../fault/scene.js'
import { bringServer, type Server } from '../servers/index.js'
import { duringEach } from '../setup/during.js'
import { eventually } from '../setup/eventually.js'

const refusal = { code: 'STORE_ERROR', reason: 'permission', transient: false }
const ITS_KEY = ['~scene:*', '&*']
const RELEASES_ONLY = ['~*', 'resetchannels', '&redisson_lock__channel:*']
const kinds = ['lock', 'fencedLock', 'fairLock'] as const

describe.each(['ioredis-6', 'ioredis-5', 'cluster'] as const)('a restricted user of a line (%s)', (where) => {
  let server: Server | undefined
  const errors: unknown[] = []

  beforeAll(async () => {
    if (where !== 'cluster') server = await bringServer({ flavour: inject('servers').flavour })
  })
  afterAll(() => server?.stop())
  const scene = duringEach(() => (where === 'cluster' ? Scene.cluster() : Scene.standalone(where, server)))
  afterEach(() => onEachNode('ACL', 'DELUSER', 'restricted'))

  async function onEachNode(command: string, ...words: string[]): Promise<unknown[]> {
    const { direct } = scene
    const nodes: Redis[] = direct instanceof Cluster ? direct.nodes('master') : [direct]
    return await Promise.all(nodes.map((node) => node.call(command, ...words)))
  }

  async function allow(...rules: string[]): Promise<void> {
    await onEachNode('ACL', 'SETUSER', 'restricted', 'reset', 'on', '>secret', '+@all', ...rules)
  }

  async function restricted(rules: readonly string[], options?: HoldfastOptions): Promise<Holdfast> {
    await allow(...rules)
    errors.length = 0
    const login = { username: 'restricted', password: 'secret' }
    const client = where === 'cluster' ? { redisOptions: login } : login
    const holdfast = scene.holdfast(options, { client })
    holdfast.on('error', (error) => errors.push(error))
    return holdfast
  }

  async function refused(): Promise<number> {
    let count = 0
    for (const info of await onEachNode('INFO', 'errorstats'))
      count += Number(/errorstat_NOPERM:count=(\d+)/.exec(String(info))?.[1] ?? 0)
    return count
  }

  async function placesInLine(): Promise<number> {
    return Number(await scene.direct.zcard(`holdfast_line:{${scene.name}}`))
  }

  /** It waits, and hears of releases. */
  async function listened(name = scene.name): Promise<void> {
    await eventually(async () => (await scene.channels()).includes(`redisson_lock__channel:{${name}}`))
  }

  /** The holder goes, and the one that waits has its turn. */
  async function hasItsTurn(hold: Hold, waiting: Promise<Hold>): Promise<void> {
    await hold.release()
    await (await waiting).release()
    await scene.nothingLeft()
  }

  /** Waits, until it listens to releases, for a lock that it does not get. */
  async function waitOutsideLine(holdfast: Holdfast, name: string): Promise<void> {
    const abort = new AbortController()
    const waiting = rejectionOf(holdfast.lock(name).acquire({ signal: abort.signal }))
    await listened(name)
    abort.abort('enough')
    expect(await waiting).toBe('enough')
  }

  function saidOnce(word: string): void {
    expect(errors).toEqual([expect.objectContaining(refusal)])
    expect(String(errors[0])).toContain(word)
  }

  test('W2: who may use nothing but the key of its lock takes and releases it; one refused command, one word about it', async () => {
    const holdfast = await restricted(ITS_KEY)
    const before = await refused()
    for (let section = 0; section < 3; section += 1) {
      const hold = await holdfast.lock(scene.name).acquire()
      expect(await scene.holdfast().lock(scene.name).tryAcquire()).toBeNull()
      await hold.release()
    }
    expect(await refused()).toBe(before + 1)
    saidOnce('holdfast_line:*')
    await scene.nothingLeft()
  })

  test('W2: who may use nothing but the key of its lock hears of the release it waits for', async () => {
    const holdfast = await restricted(ITS_KEY)
    const hold = await scene.holdfast().lock(scene.name).acquire()
    const waiting = holdfast.lock(scene.name).acquire({ waitMs: 20_000 })
    await listened()
    expect(await placesInLine()).toBe(0)
    // It cannot read the line, and sees those that listen.
    expect(await holdfast.lock(scene.name).countWaitingClients()).toBe(1)
    await hasItsTurn(hold, waiting)
    saidOnce('holdfast_line:*')
  })

  test.each(kinds)(
    'W2: a %s whose user may not subscribe to grants is waited for without a place',
    async (kind) => {
      const holdfast = await restricted(RELEASES_ONLY)
      const hold = await scene.holdfast()[kind](scene.name).acquire()
      const waiting = holdfast[kind](scene.name).acquire({ waitMs: 20_000 })
      await listened()
      await eventually(placesInLine, (places) => places === 0)
      await hasItsTurn(hold, waiting)
      saidOnce('holdfast:*')
    },
  )

  test.each([
    ['may use nothing but the key of its lock', ITS_KEY, 'lock'],
    ...kinds.map((kind) => ['may not subscribe to grants', RELEASES_ONLY, kind] as const),
  ] as const)('W8: a user who %s gets its turns beside a line (%s, %s)', async (_may, rules, kind) => {
    await besideLine(await restricted(rules), kind)
    expect(errors).toContainEqual(expect.objectContaining(refusal))
    if (rules === ITS_KEY) saidOnce('holdfast_line:*')
  })

  test('W2: what a client has learned at one lock it need not learn at the next', async () => {
    const holdfast = await restricted(RELEASES_ONLY)
    const counts: number[] = []
    for (const name of [scene.name, `${scene.name}:2`, `${scene.name}:3`]) {
      const hold = await scene.holdfast().lock(name).acquire()
      await waitOutsideLine(holdfast, name)
      await hold.release()
      counts.push(await refused())
    }
    expect(new Set(counts).size).toBe(1)
    saidOnce('holdfast:*')
    await scene.nothingLeft()
  })

  test('W2: who may not subscribe to anything is told', async () => {
    const holdfast = await restricted(['~*', 'resetchannels'])
    const hold = await scene.holdfast().lock(scene.name).acquire()
    await expect(holdfast.lock(scene.name).acquire()).rejects.toMatchObject(refusal)
    expect(await placesInLine()).toBe(0)
    await hold.release()
    await scene.nothingLeft()
  })

  test.each(['readLock', 'writeLock'] as const)('W2: a %s is asked for again and again', async (side) => {
    const holdfast = await restricted(['~*', 'resetchannels'])
    const hold = await scene.holdfast().readWriteLock(scene.name).writeLock().acquire()
    const waiting = holdfast.readWriteLock(scene.name)[side]().acquire({ waitMs: 20_000 })
    await eventually(() => errors.length > 0)
    await hasItsTurn(hold, waiting)
    saidOnce('holdfast:*')
  })

  test('W2: who may use the line of read-write locks, but not of plain ones, has a place there', async () => {
    const holdfast = await restricted(['~scene:*', '~holdfast_rw*', '&*'])
    await holdfast.lock(scene.name).withLock(() => undefined)
    const hold = await scene.holdfast().readWriteLock(scene.name).writeLock().acquire()
    const waiting = holdfast.readWriteLock(scene.name).readLock().acquire({ waitMs: 20_000 })
    await eventually(async () => Number(await scene.direct.zcard(`holdfast_rw_line:{${scene.name}}`)) === 1)
    await hasItsTurn(hold, waiting)
    saidOnce('holdfast_line:*')
  })

  test.each([
    ['its own channel', ['&redisson_lock__channel:*']],
    ['every channel', []],
  ])(
    'W2: who is forbidden %s while it waits goes on working, and waits outside the line',
    async (_what, left) => {
      const holdfast = await restricted(['~*', '&*'], { lingerMs: 60_000 })
      const kept = holdfast.lock(`${scene.name}:kept`)
      await eventually(async () => {
        await kept.withLock(() => undefined)
        return (await kept.inspect()).lingering
      })
      const other = scene.holdfast()
      const hold = await other.lock(scene.name).acquire()
      const waiting = holdfast.lock(scene.name).acquire({ waitMs: 20_000 })
      await eventually(placesInLine, (places) => places === 1)
      // The server ends the connections that are subscribed to what is forbidden from now on.
      await onEachNode('ACL', 'SETUSER', 'restricted', 'resetchannels', ...left)
      await eventually(() => errors.some((error) => String(error).includes('holdfast:*')))
      const before = await refused()
      await (await other.lock(kept.name).acquire({ waitMs: 20_000 })).release()
      await hasItsTurn(hold, waiting)
      expect(await refused()).toBeLessThan(before + 20)
    },
  )

  test('W2: the refusals are forgotten when the connection breaks', async () => {
    const holdfast = await restricted(['~scene:*', 'resetchannels', '&redisson_lock__channel:*'])
    const lock = holdfast.lock(scene.name)
    const hold = await scene.holdfast().lock(scene.name).acquire()
    await waitOutsideLine(holdfast, scene.name)
    await allow('~*', '&*')
    await onEachNode('CLIENT', 'KILL', 'USER', 'restricted')
    // The client has noticed when its connection works again.
    await eventually(async () => (await lock.isLocked().catch(() => undefined)) === true)
    const waiting = lock.acquire({ waitMs: 20_000 })
    await eventually(placesInLine, (places) => places === 1)
    await hasItsTurn(hold, waiting)
  })

  /** It has three sections while two other processes have one after the other. */
  async function besideLine(holdfast: Holdfast, kind: (typeof kinds)[number]): Promise<void> {
    let over = false
    let inside = 0
    const enter = (by: Holdfast): Promise<void> =>
      by[kind](scene.name).withLock({ waitMs: 20_000 }, async () => {
        inside += 1
        expect(inside).toBe(1)
        await new Promise(setImmediate)
        inside -= 1
      })
    const others = [scene.holdfast(), scene.holdfast()].map(async (other) => {
      while (!over) await enter(other)
    })
    await Promise.race([eventually(placesInLine, (places) => places > 0), ...others])
    for (let section = 0; section < 3; section += 1) await enter(holdfast)
    over = true
    await Promise.all(others)
    await scene.nothingLeft()
  }
})
