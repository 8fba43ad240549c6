/** The rules of the one line in which processes wait, in every place it can be kept. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Owner } from '../../src/base/identity/owner.js'
import { eventually } from '../setup/eventually.js'
import { lasting } from '../setup/lasting.js'
import { type Kind, LineClient } from '../setup/port-client.js'
import { lockName, MemoryPlace, RedisPlace } from '../setup/port-place.js'

const places = [
  new MemoryPlace(LineClient),
  RedisPlace.standalone(LineClient),
  RedisPlace.cluster(LineClient),
]
/** So many places in front look when the lease ends; the others rest for longer. */
const FRONT = 8
const LEASE_MS = 20_000
const RESTS_MS = 30_000
const inLine: readonly Kind[] = ['lock', 'fenced', 'fair']

describe.each(places.map((place) => ({ where: place.name, place })))('the line ($where)', ({ place }) => {
  let firstLeaseMs = 0
  /** Long enough to join the line behind, on a busy machine. */
  let shortMs = 0
  beforeEach(() => {
    firstLeaseMs = lasting(700)
    shortMs = lasting(1_000)
  })
  afterEach(() => place.close())

  test('first come, first served, over processes and kinds; a release tells one process alone', async () => {
    const name = lockName()
    const [holder, ...others] = [place.client(), place.client(), place.client(), place.client()] as const
    const waiting: Array<{ kind: Kind; client: LineClient; owner: `${string}:${number}` }> = []
    for (const [index, client] of others.entries()) {
      const kind = inLine[index] ?? 'lock'
      const owner = index === 0 ? await holder.take('lock', name) : undefined
      if (owner) waiting.push({ kind: 'lock', client: holder, owner })
      waiting.push({ kind, client, owner: await client.joinLine(kind, name) })
    }
    for (const [index, { client, kind, owner }] of waiting.entries()) {
      if (index > 0) await client.enters(kind, name, owner)
      expect(await holder.holders('lock', name)).toEqual([owner])
      await client.release(kind, name, owner)
    }
    for (const { client, kind, owner } of waiting.slice(1))
      expect(client.heard.filter((what) => what.includes(':'))).toEqual([`${kind} ${owner}`])
    expect(await holder.holders('lock', name)).toEqual([])
  })

  test('a place keeps its turn, however often its process asks', async () => {
    const name = lockName()
    const [holder, one, two] = [place.client(), place.client(), place.client()]
    const first = await holder.take('lock', name)
    const next = await one.joinLine('lock', name)
    const last = await two.joinLine('lock', name)
    for (let count = 0; count < 3; count += 1) await one.refused('lock', name, next)
    await holder.release('lock', name, first)
    await one.passes('lock', name, next)
    await two.passes('lock', name, last)
  })

  test('a fenced lock that is granted in line has a token of its own, whoever releases', async () => {
    const name = lockName()
    const [holder, waiter] = [place.client(), place.client()]
    const first = await holder.take('fenced', name)
    const next = await waiter.joinLine('fenced', name)
    await holder.release('fenced', name, first)
    const { fence } = await waiter.enters('fenced', name, next)
    expect(fence).toBe(2n)
    const plain = await holder.joinLine('fair', name)
    const last = await waiter.joinLine('fenced', name)
    await waiter.release('fenced', name, next)
    expect(await holder.enters('fair', name, plain)).not.toHaveProperty('fence')
    await holder.release('fair', name, plain)
    expect((await waiter.enters('fenced', name, last)).fence).toBe(3n)
    await waiter.release('fenced', name, last)
  })

  test('one that does not wait gets no place, and is not let in before those that do', async () => {
    const name = lockName()
    const [holder, waiter] = [place.client(), place.client()]
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

  test('a lease that ends unannounced: whoever asks moves the line on', async () => {
    const name = lockName()
    const [holder, one, two] = [place.client(), place.client(), place.client()]
    await holder.take('lock', name, { leaseMs: shortMs })
    const next = await one.joinLine('lock', name)
    const last = await two.joinLine('lock', name)
    await place.pass(shortMs + 1)
    await two.refused('lock', name, last)
    await one.passes('lock', name, next)
    await two.passes('lock', name, last)
  })

  test('a process that took over its grant is not passed over because its explicit lease has ended', async () => {
    const name = lockName()
    const [holder, busy, other] = [place.client(), place.client(), place.client()]
    const first = await holder.take('fair', name)
    const leased = await busy.joinLine('fair', name)
    const next = await busy.joinLine('fair', name)
    const last = await other.joinLine('fair', name)
    await holder.release('fair', name, first)
    await busy.enters('fair', name, leased, { leaseMs: shortMs })
    await place.pass(shortMs + 1)
    await other.refused('fair', name, last)
    await busy.passes('fair', name, next)
    await other.passes('fair', name, last)
  })

  test.each(inLine)(
    '%s: of many in line, the first eight look when the lease ends; the others rest',
    async (kind) => {
      const name = lockName()
      const [holder, late] = [place.client(), place.client()]
      await holder.take('lock', name, { leaseMs: LEASE_MS })
      const front = Array.from({ length: FRONT }, () => place.client())
      const looks = async (client: LineClient, owner: Owner): Promise<number | undefined> =>
        (await client.refused(kind, name, owner)).againMs
      const owners: Owner[] = []
      for (const client of front) owners.push(await client.joinLine(kind, name))
      const behind = await late.joinLine(kind, name)
      for (const [index, client] of front.entries())
        expect(await looks(client, owners[index] ?? behind)).toBeLessThanOrEqual(LEASE_MS + 2)
      expect(await looks(late, behind)).toBeGreaterThanOrEqual(RESTS_MS)
      await front[0]?.abandon(kind, name, owners[0] ?? behind)
      expect(await looks(late, behind)).toBeLessThanOrEqual(LEASE_MS + 2)
    },
  )

  test('a process with a place in front does not rest by another one behind', async () => {
    const name = lockName()
    const holder = place.client()
    await holder.take('lock', name, { leaseMs: LEASE_MS })
    const first = place.client()
    await first.joinLine('fair', name)
    for (let count = 0; count < FRONT; count += 1) await place.client().joinLine('fair', name)
    const behind = await first.joinLine('fair', name)
    const { againMs } = await first.refused('fair', name, behind)
    expect(againMs).toBeLessThanOrEqual(LEASE_MS + 2)
  })

  test('who finds the lock free and gives it to the first in line looks when that grant ends', async () => {
    const name = lockName()
    await place.client().take('lock', name, { leaseMs: LEASE_MS })
    const client = (): LineClient => place.client({ firstLeaseMs: LEASE_MS })
    for (let count = 0; count <= FRONT; count += 1) await client().joinLine('lock', name)
    const [finder, other] = [client(), client()]
    const found = await finder.joinLine('lock', name)
    const behind = await other.joinLine('lock', name)
    // No test can wait for so long.
    if (place instanceof RedisPlace) await place.server.ask(name, 'DEL', name)
    else await place.pass(LEASE_MS + 1)
    expect((await finder.refused('lock', name, found)).againMs).toBeLessThanOrEqual(LEASE_MS + 2)
    expect((await other.refused('lock', name, behind)).againMs).toBeGreaterThanOrEqual(RESTS_MS)
  })

  test('#2099 a free lock goes to the first in line, whoever asks', async () => {
    const name = lockName()
    const [holder, waiter] = [place.client(), place.client()]
    await holder.take('lock', name, { leaseMs: shortMs })
    const next = await waiter.joinLine('lock', name)
    await place.pass(shortMs + 1)
    for (const kind of ['fair', 'announced'] as const)
      await holder.refused(kind, name, holder.owner(), { waits: false })
    await waiter.passes('lock', name, next)
  })

  test('a waiter looks soon after it came, then when the end comes that it saw', async () => {
    const name = lockName()
    const [holder, waiter] = [place.client(), place.client({ firstLeaseMs: firstLeaseMs })]
    const first = await holder.take('lock', name)
    const owner = waiter.owner()
    expect((await waiter.refused('lock', name, owner)).againMs).toBeLessThanOrEqual(firstLeaseMs + 2)
    expect((await waiter.refused('lock', name, owner)).againMs).toBeGreaterThan(20_000)
    await waiter.abandon('lock', name, owner)
    await holder.release('lock', name, first)
  })

  test('a process that hears nothing is passed over at once, and is first again when it is back', async () => {
    const name = lockName()
    const [holder, deaf, other] = [place.client(), place.client(), place.client()]
    const first = await holder.take('lock', name)
    const early = deaf.owner()
    await deaf.refused('lock', name, early)
    const next = await other.joinLine('lock', name)
    await holder.release('lock', name, first)
    await other.enters('lock', name, next)
    const late = await holder.joinLine('lock', name)
    await deaf.listen('lock', name)
    await deaf.refused('lock', name, early)
    await other.release('lock', name, next)
    await deaf.passes('lock', name, early)
    await holder.passes('lock', name, late)
  })

  test.each(inLine)(
    'a process that does nothing with its grant costs one first lease, however many places it has (%s)',
    async (kind) => {
      const name = lockName()
      const [holder, alive] = [place.client(), place.client()]
      const frozen = place.client({ firstLeaseMs: firstLeaseMs })
      const first = await holder.take('lock', name)
      const lost = [await frozen.joinLine(kind, name), await frozen.joinLine(kind, name)]
      const next = await alive.joinLine('lock', name)
      await holder.release('lock', name, first)
      expect(await alive.holders('lock', name)).toEqual(lost.slice(0, 1))
      expect(await alive.remainingMs(name)).toBeLessThanOrEqual(firstLeaseMs)
      await place.pass(firstLeaseMs + 1)
      await alive.granted('lock', name, next)
      // Should it live, it is told to ask: it is where it was.
      await frozen.hears(`${kind} look`)
      await frozen.refused(kind, name, lost[1] ?? next)
      const last = await holder.joinLine('lock', name)
      await alive.release('lock', name, next)
      await frozen.passes(kind, name, lost[1] ?? next)
      await holder.passes('lock', name, last)
    },
  )

  test('the next in line is told when the lock goes to somebody that has it for less time', async () => {
    const name = lockName()
    const [holder, waiter] = [place.client(), place.client()]
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
    const name = lockName()
    const [holder, waiter] = [place.client(), place.client({ firstLeaseMs })]
    const first = await holder.take('lock', name)
    const next = await waiter.joinLine('fair', name)
    await waiter.refused('fair', name, next)
    // It would look in time, if it stays; the place before it looks when that lease ends.
    await waiter.joinLine('fair', name)
    await holder.handOver('lock', name, first, holder.owner(), firstLeaseMs)
    await waiter.hears('fair look')
  })

  test('#4153 who leaves the line is granted nothing; who leaves with a grant gives it to the next', async () => {
    const name = lockName()
    const [holder, leaver, stayer] = [place.client(), place.client(), place.client()]
    const first = await holder.take('lock', name)
    const gone = await leaver.joinLine('fair', name)
    const late = await leaver.joinLine('fair', name)
    const next = await stayer.joinLine('lock', name)
    await leaver.abandon('fair', name, gone)
    await holder.release('lock', name, first)
    await leaver.hears(`fair ${late}`)
    expect(leaver.heard).not.toContain(`fair ${gone}`)
    await leaver.abandon('fair', name, late)
    await stayer.passes('lock', name, next)
    expect(await holder.holders('lock', name)).toEqual([])
  })

  test.each(['lock', 'fair', 'fenced'] as const)(
    'one held as %s that is forced open goes to the next, and its holder is told',
    async (held) => {
      const name = lockName()
      const [holder, waiter, outsider] = [place.client(), place.client(), place.client()]
      const first = await holder.take(held, name)
      await holder.listen(held, name)
      await outsider.listen('announced', name)
      const next = await waiter.joinLine('lock', name)
      expect(await place.client().ports.fair.forceUnlock(name)).toBe(true)
      await waiter.enters('lock', name, next)
      await eventually(() => holder.heard.length > 0)
      await outsider.hears('announced news')
      expect(await holder.release('lock', name, first)).toBe('not-owner')
      await waiter.release('lock', name, next)
      expect(await holder.ports.lock.forceUnlock(name)).toBe(false)
    },
  )

  test('how many processes wait: each in line counts once, and so does one that listens and stands in none', async () => {
    const name = lockName()
    const [holder, one, two] = [place.client(), place.client(), place.client()]
    const first = await holder.take('lock', name)
    expect(await holder.ports.lock.countWatchers(name)).toBe(0)
    for (const kind of ['fair', 'fair', 'lock'] as const) await one.joinLine(kind, name)
    await two.listen('announced', name)
    expect(await holder.ports.lock.countWatchers(name)).toBe(2)
    await holder.release('lock', name, first)
  })

  test('those that stand in no line hear of a release that nobody in line takes', async () => {
    const name = lockName()
    const [holder, other] = [place.client(), place.client()]
    const first = await holder.take('lock', name)
    await other.listen('announced', name)
    expect(await holder.release('lock', name, first)).toEqual({ others: 1 })
    await other.hears('announced news')
    await other.take('announced', name, { leaseMs: shortMs })
  })
})
