/** Messages to a client that waits come with the change that they tell of, and a client that is gone is known to be. */
import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { until } from '../servers/until.js'
import { type Client, libraryNames, missing, Stand, title } from './server.js'
import { locks, tallies } from './tally.js'

describe.skipIf(missing).each(libraryNames)(`${title} by %s: messages`, (library) => {
  const stand = new Stand()
  let application: ReturnType<Stand['application']>
  let sender: Client
  let hearer: Client

  beforeEach(async () => {
    application = stand.application(library)
    sender = stand.client(application)
    hearer = stand.client(application)
    await hearer.session.inbox?.opened()
    return async () => {
      await Promise.all([sender.session.close(), hearer.session.close()])
      expect([sender.errors, hearer.errors]).toEqual([[], []])
    }
  })

  const tell = (name: string, ...texts: string[]): Promise<void> =>
    sender.session.change(tallies, name, ({ body, tell }) => {
      body.holds += 1
      for (const text of texts) tell(hearer.id, { keyspace: 'latch', name, text })
    })
  const told = (count: number): Promise<string[]> =>
    until(() => hearer.messages.length >= count && hearer.messages.map(({ text }) => text), {
      what: `${count} messages`,
    })
  /** The process of the server at which that client listens. */
  const listenerOf = async ({ id }: Client): Promise<number | undefined> => {
    const { rows } = await stand.pool.query<{ pid: number }>(
      "SELECT pid FROM pg_stat_activity WHERE application_name = 'holdfast' AND query LIKE '%pg_backend_pid%' AND pid IN (SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND (classid::bigint << 32 | objid::bigint) = hashtextextended($1, 4853170952))",
      [id],
    )
    expect(rows).toHaveLength(1)
    return rows[0]?.pid
  }

  test('a message comes to the client that it is for, in order, and to no other', async () => {
    await tell('row', 'first', 'second')
    await tell('row', 'third')
    expect(await told(3)).toEqual(['first', 'second', 'third'])
    expect(hearer.messages[0]).toEqual({ keyspace: 'latch', name: 'row', text: 'first' })
    expect(sender.messages).toEqual([])
  })

  test.each([
    ['a long name', 'n'.repeat(20_000), 'short'],
    ['a long text', 'name', '🧵'.repeat(20_000)],
    ['both, the same again and again', 'n'.repeat(60_000), 'n'.repeat(60_000)],
    ['a name with NUL and quotes', `nul\0'"\\`, `nul\0'"\\`],
  ])('a message with %s comes whole', async (_, name, text) => {
    await tell(name, text, `${text}2`)
    expect(await told(2)).toEqual([text, `${text}2`])
    expect(hearer.messages.every((message) => message.name === name)).toBe(true)
  })

  test('nothing is told of a change that was not made', async () => {
    const other = stand.client(application)
    const work = async ({ session }: Client): Promise<void> => {
      for (let round = 0; round < 100; round += 1)
        await session.change(tallies, 'contended', ({ body, tell }) => {
          body.holds += 1
          tell(hearer.id, { keyspace: 'latch', name: 'contended', text: String(body.holds) })
        })
    }
    await Promise.all([sender, other, sender, other].map(work))
    expect((await told(400)).map(Number)).toEqual(Array.from({ length: 400 }, (_, index) => index + 1))
  })

  test('a message without a change is sent too, also about a row that is not there', async () => {
    const name = randomUUID()
    await sender.session.change(tallies, name, ({ tell }) =>
      tell(hearer.id, { keyspace: 'latch', name, text: 'alone' }),
    )
    expect(await told(1)).toEqual(['alone'])
  })

  test('whether a client listens is seen in the row that it waits for', async () => {
    const absent = randomUUID()
    const name = randomUUID()
    await sender.session.change(locks, name, ({ body }) => {
      body.owner = `${absent}:1`
      body.waiting = [hearer.id, absent, sender.id]
    })
    const reached = () =>
      sender.session.change(locks, name, ({ reaches }) =>
        [hearer.id, absent, sender.id].map((client) => reaches(client)),
      )
    expect(await reached()).toEqual([true, false, false])
    await hearer.session.close()
    await until(async () => (await reached())[0] === false, { what: 'its end is seen' })
  })

  test('those that look at once whether a client listens do not mislead each other', async () => {
    const name = randomUUID()
    const absent = Array.from({ length: 20 }, () => randomUUID())
    await sender.session.change(tallies, name, ({ body }) => {
      body.waiting = absent
    })
    for (let round = 0; round < 50; round += 1) {
      const seen = await Promise.all(
        [sender, hearer].map(({ session }) =>
          session.change(tallies, name, ({ reaches }) => absent.filter((client) => reaches(client))),
        ),
      )
      expect(seen).toEqual([[], []])
    }
  })

  test('a connection that breaks is opened again, and the client hears both times that it may have missed a message', async () => {
    expect(hearer.missed()).toBe(0)
    await stand.pool.query('SELECT pg_terminate_backend($1)', [await listenerOf(hearer)])
    await until(() => hearer.missed() >= 1, { what: 'the break is told' })
    await until(() => hearer.missed() === 2 && hearer.session.inbox?.open, { what: 'it is open again' })
    await tell('row', 'after')
    expect(await told(1)).toEqual(['after'])
  })

  test('a connection that the server has not yet found to be broken does not keep the next one from opening', async () => {
    // The same client from elsewhere, as the server sees it.
    const again = stand.client(application, {}, { clientId: hearer.id })
    await again.session.inbox?.opened()
    await until(() => hearer.missed() > 0, { what: 'the earlier one is ended' })
    await hearer.session.close()
    await until(() => again.session.inbox?.open, { what: 'the later one listens' })
  })

  test('a connection that is doubted and answers stays', async () => {
    const before = await listenerOf(hearer)
    hearer.session.inbox?.doubt()
    await tell('row', 'after')
    await told(1)
    expect(await listenerOf(hearer)).toBe(before)
    expect(hearer.missed()).toBe(0)
  })

  test('a notification that is not of Holdfast is told and passed over', async () => {
    const channel = `holdfast_${hearer.id.replaceAll('-', '')}`
    await stand.pool.query('SELECT pg_notify($1, $2)', [channel, 'nonsense'])
    await tell('row', 'after')
    expect(await told(1)).toEqual(['after'])
    const strange = { code: 'STORE_ERROR', reason: 'unreadable', command: 'LISTEN' }
    expect(hearer.errors.splice(0)).toMatchObject([strange])
  })
})
