/** A call that waits gets its lock soon, whatever becomes of the connection on which it would hear (rule W7). */
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { Holdfast } from '../../src/index.js'
import { until } from '../servers/until.js'
import { later } from '../setup/later.js'
import { libraryNames, missing, Stand, title } from './server.js'

describe.skipIf(missing).each(libraryNames)(`${title} by %s: waiting`, (library) => {
  const stand = new Stand()
  const open = (): Holdfast => stand.holdfast(stand.application(library))
  const waiting = async (name: string): Promise<number> => {
    const { rows } = await stand.pool.query<{ count: number }>(
      'SELECT cardinality(waiting) AS count FROM holdfast_locks WHERE name = $1',
      [name],
    )
    return rows[0]?.count ?? 0
  }
  const deafen = () =>
    stand.pool.query(
      "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND mode = 'ExclusiveLock'",
    )

  // The lease is 30 s: who waited for that would be too late for the test.
  test.each(['lock', 'fairLock', 'fencedLock'] as const)(
    'a %s is had although the connection that listens was killed while it waited',
    async (kind) => {
      const [one, other] = [open(), open()]
      const name = randomUUID()
      const hold = await one[kind](name).acquire()
      const acquiring = other[kind](name).acquire()
      await until(async () => (await waiting(name)) === 1, { what: 'it waits' })
      await deafen()
      await hold.release()
      await (await acquiring).release()
      expect(await waiting(name)).toBe(0)
    },
  )

  test('E5: an observer is told of the next leader although the connection that listens was killed while the last one resigned', async () => {
    const [one, other] = [open(), open()]
    const name = randomUUID()
    const seen: (bigint | undefined)[] = []
    const stop = new AbortController()
    const first = one.leader(name, { onElected: () => undefined })
    const before = await until(() => first.term, { what: 'the first is elected' })
    const watch = async (): Promise<void> => {
      for await (const leader of other.leader(name).watch({ signal: stop.signal })) seen.push(leader?.fence)
    }
    const watching = later(watch())
    await until(async () => (await waiting(`${name}:leader`)) === 1 && seen.length === 1, {
      what: 'it observes',
    })
    await deafen()
    await first.stop()
    await until(async () => (await waiting(`${name}:leader`)) === 1 && seen.length === 2, {
      what: 'it observes again',
    })
    const second = one.leader(name, { onElected: () => undefined })
    await until(() => seen.length === 3, { what: 'it sees the next', withinMs: 20_000 })
    expect(seen).toEqual([before.fence, undefined, second.term?.fence])
    stop.abort()
    await Promise.all([watching, second.stop()])
  })
})
