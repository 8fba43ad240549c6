/** What others got wrong about lines of waiters: reckoned times that drift, the dead at the head, places that are half there. */
import fc from 'fast-check'
import { afterEach, describe, expect, inject, test } from 'vitest'
import { runsOr } from '../properties/runs.js'
import { inLine } from '../redisson/fair-line.js'
import { Forked } from '../redisson/forked.js'
import { placeOf } from '../setup/places.js'
import { LineClient } from '../setup/port-client.js'
import { MemoryPlace } from '../setup/port-place.js'

/** So long a place outlives its process: until that was to look, and while it may be away. */
const PLACE_MS = 40_000

const firstLeaseMs = 600
const looksEveryMs = 100
const act = fc.constantFrom('join', 'leave', 'ask', 'pass')
const step = fc.record({ act, index: fc.nat(11), ms: fc.nat(400) })

// In Redisson each that came pushed back the time at which those before it are given up: to hours, with three that ask in turn.
test('redisson#1104, #2099: whoever came and went before, each of the dead costs the one behind them one first lease', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), fc.nat(900), async (steps, heldMs) => {
      const place = new MemoryPlace(LineClient)
      const [holder, alive] = [place.client(), place.client({ firstLeaseMs })]
      const others = [1, 2, 3].map(() => place.client({ firstLeaseMs }))
      const first = await holder.take('fair', 'lock', { leaseMs: 3_600_000 })
      const standing: Array<{ leave(): Promise<void>; ask(): Promise<unknown> }> = []
      for (const { act, index, ms } of steps) {
        const client = others[index % 3]
        if (act === 'pass') await place.pass(ms)
        else if (act === 'leave') await standing.splice(index, 1)[0]?.leave()
        else if (act === 'ask') await standing[index]?.ask()
        else if (client) {
          const owner = await client.joinLine('fair', 'lock')
          standing.push({
            leave: () => client.abandon('fair', 'lock', owner),
            ask: () => client.refused('fair', 'lock', owner),
          })
        }
      }
      // From here on the others are frozen: they hear, and do nothing.
      const mine = await alive.joinLine('fair', 'lock')
      await place.pass(heldMs)
      await holder.release('fair', 'lock', first)
      const mostMs = others.length * (firstLeaseMs + looksEveryMs)
      let passedMs = 0
      for (; (await alive.acquire('fair', 'lock', mine)).outcome !== 'granted'; passedMs += looksEveryMs) {
        expect(passedMs).toBeLessThan(mostMs)
        await place.pass(looksEveryMs)
      }
      await alive.release('fair', 'lock', mine)
      await place.close()
    }),
    runsOr(150),
  )
})

describe('waits that are longer than any lease', () => {
  const place = placeOf('memory-virtual-time', 'fair')
  afterEach(() => place.tidy())

  // Redisson's second waiter reckoned a negative time left, and slept for ever.
  test('redisson#3004, #5503: whoever waits for an hour is served when it is over, in turn, and nobody before', async () => {
    const name = place.lockName()
    const hold = await place.holdfast().fairLock(name).acquire()
    const served: number[] = []
    const waits: Promise<unknown>[] = []
    for (let index = 0; index < 4; index += 1) {
      const lock = place.holdfast().fairLock(name)
      waits.push(lock.withLock(() => served.push(index)))
      await place.pass(1)
    }
    await place.pass(3_600_000)
    expect(served).toEqual([])
    await hold.release()
    await place.pass(0)
    await Promise.all(waits)
    expect(served).toEqual([0, 1, 2, 3])
  })
})

describe('on a server', () => {
  const place = placeOf('standalone', 'fair')
  const watchdogMs = 1_500

  afterEach(() => place.tidy())

  const line = (name: string): string => `holdfast_line:{${name}}`
  const processes = (name: string): string => `holdfast_processes:{${name}}`
  const stranger = '00000000-0000-4000-8000-000000000000'

  // Redisson keeps a place in a list and in a sorted set. Where one of them had it and the other not, every attempt failed with
  // "attempt to compare nil with number", and went on failing.
  test.each<[string, (name: string) => [string, ...Array<string | number>]]>([
    ['a place of a client nothing is known of', (name) => ['ZADD', line(name), 0, `x:${stranger}:1`]],
    ['a client without a place', (name) => ['HSET', processes(name), stranger, '1 500 0 1']],
    ['all places, but no client', (name) => ['DEL', processes(name)]],
    ['all clients, but no place', (name) => ['DEL', line(name)]],
    ['only the last of the places', (name) => ['ZPOPMIN', line(name), 2]],
    ['nothing at all', (name) => ['DEL', line(name), processes(name)]],
  ])(
    'redisson#4153, #5989: what is left of a line is %s: no error, and each waiter is served',
    async (_what, damage) => {
      const name = place.lockName()
      const errors: unknown[] = []
      const hold = await place.holdfast().fairLock(name).acquire()
      const waits: Promise<unknown>[] = []
      for (let count = 1; count <= 3; count += 1) {
        const waiting = place.holdfast({ watchdogMs })
        waiting.on('error', (error) => errors.push(error))
        waits.push(waiting.fairLock(name).withLock(() => undefined))
        await place.eventually(async () => (await inLine(place, name)).length === count)
      }
      const [command, ...args] = damage(name)
      await place.client().call(command, ...args)
      await hold.release()
      await Promise.all(waits)
      expect(errors).toEqual([])
      expect(await place.client().call('EXISTS', name, line(name))).toBe(0)
    },
  )

  // Redisson's line outlived the application for minutes, or for ever where no wait had an end, with nobody holding the lock.
  test('redisson#6150, #4595: an application that was killed, holder and waiters: it gets the lock when it is started again', async () => {
    const name = place.lockName()
    const { host, port } = inject('servers').standalone
    const fixture = new URL('../line/waiter.fixture.ts', import.meta.url)
    const task = { server: { host, port }, name, watchdogMs }
    const holder = Forked.start(fixture, task)
    expect(await holder.told()).toBe('acquired')
    const waiter = Forked.start(fixture, task)
    expect(await waiter.told()).toBe('waiting')
    await place.eventually(async () => (await inLine(place, name)).length === 1)
    await Promise.all([holder.kill(), waiter.kill()])
    const lock = place.holdfast({ watchdogMs }).fairLock(name)
    const hold = await lock.acquire({ waitMs: 15_000 })
    // The dead one's place is passed over, and ends by itself.
    const leftMs = Number(await place.client().call('PTTL', line(name)))
    expect(leftMs === -2 || (leftMs > 0 && leftMs <= PLACE_MS)).toBe(true)
    await hold.release()
    await lock.withLock({ waitMs: 15_000 }, () => undefined)
  })
})
