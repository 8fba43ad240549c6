/** The rules of the one line in which processes wait, in every place it can be kept. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Owner } from '../../src/base/identity/owner.js'
import { lasting } from '../setup/lasting.js'
import { type Kind, LineClient } from '../setup/port-client.js'
import { lockName, MemoryPlace, RedisPlace } from '../setup/port-place.js'

/** So many places in front look when the lease ends; the others rest for longer. */
const FRONT = 8
const LEASE_MS = 20_000
const RESTS_MS = 30_000
const inLine = ['lock', 'fenced', 'fair'] as const

describe.each([
  new MemoryPlace(LineClient),
  RedisPlace.standalone(LineClient),
  RedisPlace.cluster(LineClient),
])('the line ($name)', (place) => {
  let firstLeaseMs = 0
  /** Long enough to join the line behind, on a busy machine. */
  let shortMs = 0
  let name: string
  let holder: LineClient
  let waiter: LineClient
  let other: LineClient
  beforeEach(() => {
    firstLeaseMs = lasting(1_200)
    shortMs = lasting(1_800)
    name = lockName()
    ;[holder, waiter, other] = [place.client(), place.client(), place.client()]
  })
  afterEach(() => place.close())

  test('first come, first served, over processes and kinds; a release tells one process alone', async () => {
    const first = await holder.take('lock', name)
    const waiting: Array<{ kind: Kind; client: LineClient; owner: Owner }> = []
    for (const [index, client] of [waiter, other, place.client()].entries()) {
      const kind = inLine[index] ?? 'lock'
      waiting.push({ kind, client, owner: await client.joinLine(kind, name) })
    }
    await holder.release('lock', name, first)
    for (const { client, kind, owner } of waiting) {
      await client.enters(kind, name, owner)
      expect(await holder.holders('lock', name)).toEqual([owner])
      await client.release(kind, name, owner)
    }
    for (const { client, kind, owner } of waiting)
      expect(client.heard.filter((what) => what.includes(':'))).toEqual([`${kind} ${owner}`])
    expect(await holder.holders('lock', name)).toEqual([])
  })

  test('one that does not wait gets no place, and is not let in before those that do', async () => {
    const first = await holder.take('lock', name)
    const gone = holder.owner()
    await holder.refused('lock', name, gone, { waits: false })
    const next = await waiter.joinLine('lock', name)
    await holder.release('lock', name, first)
    await holder.refused('lock', name, gone, { waits: false })
    await waiter.passes('lock', name, next)
    await holder.granted('lock', name, gone, { waits: false })
    await holder.release('lock', name, gone)
  })

  test('#2099 a lease that ends unannounced: whoever asks moves the line on, and the lock goes to the first', async () => {
    await holder.take('lock', name, { leaseMs: shortMs })
    const next = await waiter.joinLine('lock', name)
    const last = await other.joinLine('lock', name)
    await place.pass(shortMs + 1)
    for (const kind of ['fair', 'announced'] as const)
      await holder.refused(kind, name, holder.owner(), { waits: false })
    await other.refused('lock', name, last)
    await waiter.passes('lock', name, next)
    await other.passes('lock', name, last)
  })

  test('a process that took over its grant is not passed over because its explicit lease has ended', async () => {
    const first = await holder.take('fair', name)
    const leased = await waiter.joinLine('fair', name)
    const next = await waiter.joinLine('fair', name)
    const last = await other.joinLine('fair', name)
    await holder.release('fair', name, first)
    await waiter.enters('fair', name, leased, { leaseMs: shortMs })
    await place.pass(shortMs + 1)
    await other.refused('fair', name, last)
    await waiter.passes('fair', name, next)
    await other.passes('fair', name, last)
  })

  test.each(inLine)(
    '%s: of many in line, the first eight look when the lease ends; the others rest',
    async (kind) => {
      await holder.take('lock', name, { leaseMs: LEASE_MS })
      const looks = async (client: LineClient, owner: Owner): Promise<number | undefined> =>
        (await client.refused(kind, name, owner)).againMs
      const front: Array<readonly [LineClient, Owner]> = []
      for (let index = 0; index < FRONT; index += 1) {
        const client = place.client()
        front.push([client, await client.joinLine(kind, name)])
      }
      const behind = await waiter.joinLine(kind, name)
      for (const [client, owner] of front)
        expect(await looks(client, owner)).toBeLessThanOrEqual(LEASE_MS + 2)
      expect(await looks(waiter, behind)).toBeGreaterThanOrEqual(RESTS_MS)
      for (const [client, owner] of front.slice(0, 1)) await client.abandon(kind, name, owner)
      expect(await looks(waiter, behind)).toBeLessThanOrEqual(LEASE_MS + 2)
    },
  )

  test('a process with a place in front does not rest by another one behind', async () => {
    await holder.take('lock', name, { leaseMs: LEASE_MS })
    await waiter.joinLine('fair', name)
    for (let count = 0; count < FRONT; count += 1) await place.client().joinLine('fair', name)
    const { againMs } = await waiter.refused('fair', name, await waiter.joinLine('fair', name))
    expect(againMs).toBeLessThanOrEqual(LEASE_MS + 2)
  })

  test('#3829 who finds the lock free, its key gone, gives it to the first in line, and looks when that grant ends', async () => {
    await holder.take('lock', name, { leaseMs: LEASE_MS })
    const client = (): LineClient => place.client({ firstLeaseMs: LEASE_MS })
    const first = await waiter.joinLine('lock', name)
    for (let count = 0; count < FRONT; count += 1) await client().joinLine('lock', name)
    const [finder, late] = [client(), client()]
    const found = await finder.joinLine('lock', name)
    const behind = await late.joinLine('lock', name)
    // No test can wait for so long.
    if (place instanceof RedisPlace) await place.server.ask(name, 'DEL', name)
    else await place.pass(LEASE_MS + 1)
    expect((await finder.refused('lock', name, found)).againMs).toBeLessThanOrEqual(LEASE_MS + 2)
    expect((await late.refused('lock', name, behind)).againMs).toBeGreaterThanOrEqual(RESTS_MS)
    expect(await holder.holders('lock', name)).toEqual([first])
  })

  test('a waiter looks soon after it came, then when the end comes that it saw', async () => {
    const soon = place.client({ firstLeaseMs })
    const first = await holder.take('lock', name)
    const owner = soon.owner()
    expect((await soon.refused('lock', name, owner)).againMs).toBeLessThanOrEqual(firstLeaseMs + 2)
    expect((await soon.refused('lock', name, owner)).againMs).toBeGreaterThan(20_000)
    await soon.abandon('lock', name, owner)
    await holder.release('lock', name, first)
  })

  test('a process that hears nothing is passed over at once, and is first again when it is back', async () => {
    const first = await holder.take('lock', name)
    const early = waiter.owner()
    await waiter.refused('lock', name, early)
    const next = await other.joinLine('lock', name)
    await holder.release('lock', name, first)
    await other.enters('lock', name, next)
    const late = await holder.joinLine('lock', name)
    await waiter.listen('lock', name)
    await waiter.refused('lock', name, early)
    await other.release('lock', name, next)
    await waiter.passes('lock', name, early)
    await holder.passes('lock', name, late)
  })

  test.each(inLine)(
    'a process that does nothing with its grant costs one first lease, however many places it has (%s)',
    async (kind) => {
      const frozen = place.client({ firstLeaseMs })
      const first = await holder.take('lock', name)
      const granted = await frozen.joinLine(kind, name)
      const second = await frozen.joinLine(kind, name)
      const next = await other.joinLine('lock', name)
      await holder.release('lock', name, first)
      expect(await other.holders('lock', name)).toEqual([granted])
      expect(await other.remainingMs(name)).toBeLessThanOrEqual(firstLeaseMs)
      await place.pass(firstLeaseMs + 1)
      await other.granted('lock', name, next)
      // Should it live, it is told to ask: it is where it was.
      await frozen.hears(`${kind} look`)
      await frozen.refused(kind, name, second)
      const last = await holder.joinLine('lock', name)
      await other.release('lock', name, next)
      await frozen.passes(kind, name, second)
      await holder.passes('lock', name, last)
    },
  )

  test('the next in line is told when the lock goes to somebody that has it for less time', async () => {
    const first = await holder.take('lock', name)
    const next = await waiter.joinLine('lock', name)
    await waiter.refused('lock', name, next)
    await holder.handOver('lock', name, first, holder.owner(), 300)
    await waiter.hears('lock look')
    await place.pass(301)
    await waiter.granted('lock', name, next)
    await waiter.release('lock', name, next)
  })

  test('a place that joins promises nothing for one of its process that stands before it', async () => {
    const soon = place.client({ firstLeaseMs })
    const first = await holder.take('lock', name)
    await soon.refused('fair', name, await soon.joinLine('fair', name))
    // It would look in time, if it stays; the place before it looks when that lease ends.
    await soon.joinLine('fair', name)
    await holder.handOver('lock', name, first, holder.owner(), firstLeaseMs)
    await soon.hears('fair look')
  })

  test('#4153 who leaves the line is granted nothing; who leaves with a grant gives it to the next', async () => {
    const first = await holder.take('lock', name)
    const gone = await waiter.joinLine('fair', name)
    const late = await waiter.joinLine('fair', name)
    const next = await other.joinLine('lock', name)
    await waiter.abandon('fair', name, gone)
    await holder.release('lock', name, first)
    await waiter.hears(`fair ${late}`)
    expect(waiter.heard).not.toContain(`fair ${gone}`)
    await waiter.abandon('fair', name, late)
    await other.passes('lock', name, next)
    expect(await holder.holders('lock', name)).toEqual([])
  })

  test.each(inLine)(
    'one held as %s that is forced open goes to the next, and its holder is told',
    async (held) => {
      const first = await holder.take(held, name)
      await holder.listen(held, name)
      await other.listen('announced', name)
      const next = await waiter.joinLine('lock', name)
      expect(await place.client().ports.fair.forceUnlock(name)).toBe(true)
      await waiter.enters('lock', name, next)
      await expect.poll(() => holder.heard.length).toBeGreaterThan(0)
      await other.hears('announced news')
      expect(await holder.release('lock', name, first)).toBe('not-owner')
      await waiter.release('lock', name, next)
      expect(await holder.ports.lock.forceUnlock(name)).toBe(false)
    },
  )

  test('how many processes wait: each in line counts once, and so does one that listens and stands in none', async () => {
    const first = await holder.take('lock', name)
    expect(await holder.ports.lock.countWatchers(name)).toBe(0)
    for (const kind of ['fair', 'fair', 'lock'] as const) await waiter.joinLine(kind, name)
    await other.listen('announced', name)
    expect(await holder.ports.lock.countWatchers(name)).toBe(2)
    await holder.release('lock', name, first)
  })

  test('those that stand in no line hear of a release that nobody in line takes', async () => {
    const first = await holder.take('lock', name)
    await other.listen('announced', name)
    expect(await holder.release('lock', name, first)).toEqual({ others: 1 })
    await other.hears('announced news')
    await other.take('announced', name, { leaseMs: shortMs })
  })
})
