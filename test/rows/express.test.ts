/** The commands that are most often sent: what each leaves in the row, and when it leaves the decision to a change. */
import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import { copy, locks, type Tally, tallies } from '../postgres/tally.js'
import { onSqlClients, type SqlClient } from './sql-clients.js'

await onSqlClients(({ product, open, administer, lockRow }) => {
  let client: SqlClient
  let other: SqlClient
  let name: string

  /** A client that has reached the table: a file is not asked by the short way before. */
  const reached = async (): Promise<SqlClient> => {
    const opened = open()
    await opened.session.change(locks, randomUUID(), copy)
    return opened
  }
  beforeEach(async () => {
    name = randomUUID()
    client = await reached()
    other = await reached()
  })

  /** MySQL does not keep in the row who waits. */
  const waitedFor: [string, { waiting: string[] }][] =
    product === 'PostgreSQL' || product === 'SQLite' ? [['waited for', { waiting: ['c'] }]] : []

  const take = (owner: string, leaseMs = 60_000, by = client): Promise<bigint | undefined> =>
    by.session.express.take({ name, owner, leaseMs })
  const takeAll = (names: readonly string[]): Promise<unknown> =>
    Promise.all(names.map((one) => client.session.express.take({ name: one, owner: 'a:1', leaseMs: 60_000 })))
  const free = (owner: string): Promise<boolean> => client.session.express.free(name, owner)
  const renew = (leaseMs = 90_000): Promise<boolean[]> =>
    Promise.all(client.session.express.renew([{ name, owner: 'a:1', leaseMs }]))
  const renewals = (names: readonly string[]) =>
    names.map((each) => ({ name: each, owner: 'a:1', leaseMs: 90_000 }))
  const row = ({ session } = client) =>
    session.change(locks, name, (draft) => ({ ...copy(draft), now: draft.now }))
  const put = (change: Partial<Tally>, { session } = client) =>
    session.change(locks, name, ({ body }) => {
      Object.assign(body, change)
    })

  test('a lock that is free is taken, with its lease and a token that starts at the clock', async () => {
    const before = BigInt(Date.now() - 1) * 1_000n
    const fence = await take('a:1')
    const { owner, holds, endsAt, now, ...others } = await row()
    expect({ owner, holds }).toEqual({ owner: 'a:1', holds: 1 })
    expect(others).toEqual({ fence, waiting: [], notes: {} })
    expect(Number(endsAt) - now).toBeGreaterThan(50_000)
    expect(Number(endsAt) - now).toBeLessThanOrEqual(60_000)
    expect(fence).toBeGreaterThan(before)
  })

  test('a lease may have no end, or a very late one', async () => {
    for (const leaseMs of [Infinity, Number.MAX_SAFE_INTEGER]) {
      const late = leaseMs === Infinity ? Infinity : leaseMs / 2
      await take('a:1', leaseMs)
      expect((await row()).endsAt).toBeGreaterThanOrEqual(late)
      expect(await renew()).toEqual([true])
      expect((await row()).endsAt).toBeGreaterThanOrEqual(late)
      expect(await free('a:1')).toBe(true)
    }
  })

  test('a lock that never had a token starts at the clock', async () => {
    await put({ notes: { any: 1 } })
    await put({ notes: {} })
    expect((await row()).fence).toBeUndefined()
    expect(await take('a:1')).toBeGreaterThan(1_000_000_000_000_000n)
  })

  test('a lock whose lease has ended is free', async () => {
    await take('a:1')
    await put({ endsAt: (await row()).now - 1 })
    expect(await free('a:1')).toBe(false)
    expect(await renew()).toEqual([false])
    expect(await take('b:1')).toBeDefined()
    expect((await row()).owner).toBe('b:1')
  })

  test.each([
    ['held by another', { owner: 'b:1', holds: 1, endsAt: Infinity }],
    ['held already by the same', { owner: 'a:1', holds: 1, endsAt: Infinity }],
    ['more than free', { notes: { line: 1 } }],
    ...waitedFor,
  ])('a lock that is %s is not taken', async (_, change) => {
    await put(change)
    const all = 'SELECT * FROM holdfast_locks WHERE name = ?'
    const before = await administer(all, name)
    expect(await take('a:1')).toBeUndefined()
    expect(await administer(all, name)).toEqual(before)
  })

  test.each([
    ['held by another', { owner: 'b:1' }],
    ['held twice', { holds: 2 }],
    ['more than held', { notes: { line: 1 } }],
    ...waitedFor,
  ])('a lock that is %s is not freed', async (_, change) => {
    await take('a:1')
    // Not by the client that frees it: what it has seen waited for it does not try to free.
    await put(change, other)
    const before = await row(other)
    expect(await free('a:1')).toBe(false)
    expect({ ...(await row()), now: 0 }).toEqual({ ...before, now: 0 })
  })

  test('a lock that was freed keeps its token and nothing else', async () => {
    const fence = await take('a:1')
    expect(await free('a:1')).toBe(true)
    expect(await row()).toMatchObject({ owner: undefined, holds: 0, endsAt: undefined, fence })
    expect(await free('a:1')).toBe(false)
  })

  test('a renewal prolongs the lease of a lock that is held, whatever else its row says, and never shortens it', async () => {
    await take('a:1')
    await put({ notes: { line: 1 }, holds: 3 })
    expect(await renew()).toEqual([true])
    const { endsAt, now, ...others } = await row()
    expect(Number(endsAt) - now).toBeGreaterThan(80_000)
    expect(others).toMatchObject({ owner: 'a:1', holds: 3, notes: { line: 1 } })
    await renew(10)
    expect((await row()).endsAt).toBe(endsAt)
  })

  test('many renewals travel together, and each has its own answer', async () => {
    const names = Array.from({ length: 450 }, (_, index) => `${name} {"${index}",\\}`)
    await takeAll(names)
    const isForeign = (index: number): boolean => index % 100 === 7
    const requests = renewals(names).map((each, index) =>
      isForeign(index) ? { ...each, owner: 'b:1' } : each,
    )
    const answers = await Promise.all(client.session.express.renew(requests))
    expect(answers).toEqual(names.map((_, index) => !isForeign(index)))
  })

  test('clients that renew the same rows at once do not hinder each other', async () => {
    const names = Array.from({ length: 50 }, (_, index) => `${name} ${index}`)
    await takeAll(names)
    const requests = renewals(names)
    for (let round = 0; round < 10; round += 1) {
      const answers = await Promise.all([
        ...client.session.express.renew(requests),
        ...other.session.express.renew([...requests].reverse()),
      ])
      expect(answers).not.toContain(false)
    }
  })

  test('of many that take a lock at once, one gets it', async () => {
    for (let round = 0; round < 100; round += 1) {
      if (round % 10 === 0) name = randomUUID()
      const owners = Array.from({ length: 6 }, (_, index) => `a:${index}`)
      const fences = await Promise.all(
        owners.map((owner, index) => take(owner, 60_000, index % 2 ? client : other)),
      )
      const winners = owners.filter((_, index) => fences[index] !== undefined)
      expect(winners).toHaveLength(1)
      expect(await free(winners[0] ?? '')).toBe(true)
    }
  })

  if (product === 'SQLite') return

  test('a row that somebody has locked delays no renewal but its own', async () => {
    const blocked = `${name} blocked`
    await takeAll([name, blocked])
    const letGo = await lockRow(blocked)
    const settled: string[] = []
    const [freely, late] = client.session.express.renew(renewals([name, blocked]))
    void late?.then(() => settled.push('late'))
    expect(await freely).toBe(true)
    expect(settled).toEqual([])
    await letGo()
    expect(await late).toBe(true)
  })

  /** Makes rows look as if they had last changed a day ago, and cleans. Tells which are left. */
  const cleaned = async (pattern = name): Promise<unknown> => {
    await administer('UPDATE holdfast_locks SET version = version - 90000000000 WHERE name LIKE ?', pattern)
    await client.session.clean()
    return (await administer('SELECT name FROM holdfast_locks WHERE name LIKE ?', pattern)).length
  }

  test('what was cleaned away starts above all tokens it had', async () => {
    const first = (await take('a:1')) ?? 0n
    await free('a:1')
    await client.session.clean()
    expect(await row()).toMatchObject({ fence: first })
    expect(await cleaned()).toBe(0)
    const second = (await take('a:1')) ?? 0n
    expect(second).toBeGreaterThan(first)
    await free('a:1')
    expect(await cleaned()).toBe(0)
    // The first token of a change, and not of an express command.
    expect(await client.session.change(locks, name, ({ firstFence }) => firstFence)).toBeGreaterThan(second)
  })

  test('what a row says beside its columns is cleaned away when it is over', async () => {
    const ends = { '': Date.now() - 2 * 86_400_000, ' not over': Date.now() }
    for (const [suffix, until] of Object.entries(ends))
      await client.session.change(tallies, name + suffix, ({ body }) => {
        body.notes = { until }
      })
    expect(await cleaned(`${name}%`)).toBe(1)
  })

  test('a change that follows a refusal sees the row as it is', async () => {
    await take('b:1')
    expect(await take('a:1')).toBeUndefined()
    await administer("UPDATE holdfast_locks SET owner = 'c:1', version = version + 1 WHERE name = ?", name)
    expect((await row()).owner).toBe('c:1')
  })
})
