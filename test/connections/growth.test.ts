/** What a client has grown by after many reconnects and many calls: nothing. */
import { Redis } from 'ioredis'
import { Redis as Redis5 } from 'ioredis5'
import { afterEach, beforeEach, describe, expect, inject, test, vi } from 'vitest'
import { Holdfast, StoreError } from '../../src/index.js'
import { NOTHING, Scene } from '../fault/scene.js'
import { duringEach } from '../setup/during.js'
import { eventually } from '../setup/eventually.js'
import { heapInUse } from '../setup/heap.js'
import { rejection } from '../setup/later.js'

const RECONNECTS = 50
const CALLS = 20_000

const patterns = [
  { where: 'RESP3', open: (where: object) => new Redis({ ...where, lazyConnect: true }) },
  { where: 'RESP2', open: (where: object) => new Redis({ ...where, lazyConnect: true, protocol: 2 }) },
  { where: 'ioredis 5', open: (where: object) => new Redis5({ ...where, lazyConnect: true }) },
]

function madeFrom(pattern: Redis | Redis5): () => Array<Redis | Redis5> {
  const duplicates = vi.spyOn(pattern, 'duplicate')
  return () => duplicates.mock.results.map(({ value }) => value)
}

function listenersOf(made: ReadonlyArray<Redis | Redis5>): number {
  const counts = made.flatMap((client) => client.eventNames().map((event) => client.listenerCount(event)))
  return counts.reduce((sum, count) => sum + count, 0)
}

/** What Node prints meanwhile, such as of listeners that leak. */
const warnings: unknown[] = []
const warned = (warning: unknown): unknown => warnings.push(warning)
beforeEach(() => {
  process.on('warning', warned)
})
afterEach(() => {
  process.off('warning', warned)
  expect(warnings.splice(0)).toEqual([])
})

describe.each(patterns)('H30: nothing grows ($where)', ({ open }) => {
  const scene = duringEach(() => Scene.standalone())
  let made: () => Array<Redis | Redis5>
  let holdfast: Holdfast

  beforeEach(() => {
    const pattern = open({ host: '127.0.0.1', port: scene.proxy.port })
    made = madeFrom(pattern)
    holdfast = new Holdfast(pattern)
  })
  afterEach(async () => {
    await holdfast.close()
    expect(holdfast.census).toEqual(NOTHING)
  })

  test('with reconnects', async () => {
    const held = await scene.holdfast({}, { proxied: false }).lock(scene.name).acquire()
    const waiting = holdfast.lock(scene.name).acquire()
    await eventually(async () => (await scene.channels()).length > 0)
    const reconnect = async (): Promise<void> => {
      const back = made()
        .filter(({ status }) => status === 'ready')
        .map((each) => new Promise((resolve) => each.once('ready', resolve)))
      scene.proxy.breakAll()
      await holdfast.lock(`${scene.name}:other`).withLock(() => undefined)
      await Promise.all(back)
    }
    for (let round = 0; round < 5; round += 1) await reconnect()
    const [clients, listeners] = [made().length, listenersOf(made())]
    for (let round = 0; round < RECONNECTS; round += 1) await reconnect()
    expect(made()).toHaveLength(clients)
    // A command that is under way at the moment has one.
    expect(Math.abs(listenersOf(made()) - listeners)).toBeLessThan(10)
    await held.release()
    await (await waiting).release()
  }, 120_000)

  test('with connections that end before they were checked', async () => {
    await holdfast.lock(scene.name).withLock(() => undefined)
    const held = await scene.holdfast({}, { proxied: false }).lock(scene.name).acquire()
    const before = listenersOf(made())
    scene.proxy.refuse()
    scene.proxy.breakAll()
    const waiting = holdfast.lock(scene.name).acquire()
    const { refused } = scene.proxy
    await eventually(() => scene.proxy.refused > refused + 20)
    expect(listenersOf(made())).toBeLessThan(before + 20)
    scene.proxy.heal()
    await held.release()
    await (await waiting).release()
  })

  test('with calls: granted, refused, timed out, aborted, waiting with one signal', async () => {
    // Not by the proxy, which writes down what passes.
    const { host, port } = inject('servers').standalone
    const pattern = open({ host, port })
    const made = madeFrom(pattern)
    const holdfast = new Holdfast(pattern)
    const { signal } = new AbortController()
    const held = await scene.holdfast({}, { proxied: false }).lock(`${scene.name}:held`).acquire()
    const calls = async (count: number): Promise<void> => {
      for (let done = 0; done < count; done += 100) {
        await Promise.all(
          Array.from({ length: 25 }, async (_, index) => {
            await holdfast.lock(`${scene.name}:${index % 5}`).withLock({ signal }, () => undefined)
            await holdfast.fairLock(`${scene.name}:fair:${index % 5}`).withLock({ signal }, () => undefined)
            expect(await holdfast.lock(held.name).tryAcquire({ signal })).toBeNull()
            const aborted = AbortSignal.abort(new Error('not wanted'))
            await rejection(() => holdfast.lock(held.name).acquire({ signal: aborted }))
          }),
        )
        const tries = [holdfast.lock(held.name), holdfast.fairLock(held.name)].map((lock) =>
          lock.tryAcquire({ waitMs: 1, signal }).catch((error: unknown) => {
            // On a busy machine the answer comes later than that.
            if (!(error instanceof StoreError)) throw error
          }),
        )
        await Promise.all(tries)
      }
      await eventually(
        () => ({ ...holdfast.census, scopes: 0, timers: 0 }),
        (census) => JSON.stringify(census) === JSON.stringify(NOTHING),
      )
    }
    await calls(4_000)
    const [listeners, heap] = [listenersOf(made()), await heapInUse()]
    await calls(CALLS)
    expect(listenersOf(made())).toBe(listeners)
    expect((await heapInUse()) - heap).toBeLessThan(CALLS * 100)
    await held.release()
    await holdfast.close()
  }, 180_000)
})

test('H30: many commands on their way to a node of a cluster that falls silent hang up on it once', async () => {
  const scene = await Scene.cluster()
  const holdfast = scene.holdfast({ commandTimeoutMs: 300 })
  const names = Array.from({ length: 40 }, (_, index) => `{${scene.name}}:${index}`)
  for (const name of names) await (await holdfast.lock(name).acquire()).release()
  for (const proxy of scene.proxies) proxy.blackHole()
  const outcomes = await Promise.allSettled(names.map((name) => holdfast.lock(name).tryAcquire()))
  expect(outcomes.every(({ status }) => status === 'rejected')).toBe(true)
  for (const proxy of scene.proxies) proxy.heal()
  await eventually(async () => (await rejection(() => holdfast.lock(scene.name).isLocked())) === undefined)
  await scene.end()
})
