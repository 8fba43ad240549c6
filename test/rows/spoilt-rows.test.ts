/** What another program has written into a row is told as such, without its value, and touches nothing else of the client. */
import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { rejectionOf } from '../../src/conformance/outcome.js'
import { Holdfast, StoreError } from '../../src/index.js'
import { findDriver } from '../../src/stores/sqlite/driver.js'
import { sqlite } from '../../src/stores/sqlite/index.js'
import { runsOr } from '../properties/runs.js'
import { Stand } from '../sqlite/stand.js'

const MARK = 'a-secret-that-is-in-no-error'

const line = (parts: object): object => ({
  line: {
    places: ['x:a:1'],
    processes: { a: { places: 1, looksAt: 1, leaseMs: 1, word: 'a' } },
    letIn: [],
    ...parts,
  },
})

/** By keyspace: what no row of it says. */
const spoilt: Readonly<Record<string, readonly unknown[]>> = {
  lock: [
    { line: 5 },
    line({ places: [MARK] }),
    line({ places: [7] }),
    line({ processes: { a: { places: 1, looksAt: null, leaseMs: 1, word: 'a' } } }),
    line({ processes: { a: { places: 1, looksAt: MARK, leaseMs: 1, word: 'a' } } }),
    line({ processes: { a: { places: 1, looksAt: 1, leaseMs: 1, word: 7 } } }),
    line({ letIn: [MARK] }),
    { value: { text: 7, until: 1 } },
    { value: { text: MARK, until: MARK } },
    { ties: { 5: MARK } },
    { lingers: { told: MARK } },
    { listeners: MARK },
  ],
  'read-write': [
    { holds: 5 },
    { holds: { [MARK]: { fence: '1', count: 1, endsAt: 1, since: 1 } } },
    { holds: { 'w:a:1': { fence: MARK, count: 1, endsAt: 1, since: 1 } } },
    { holds: { 'w:a:1': { fence: '1', count: 1, endsAt: MARK, since: 1 } } },
  ],
  semaphore: [
    { available: MARK },
    { available: 1.5 },
    { taken: { 'a:1': { permits: MARK } } },
    { taken: { 'a:1': { permits: 1, endsAt: MARK } } },
    { answered: { a: { answer: MARK, forgetAt: 1 } } },
    { goneAt: MARK },
  ],
  permits: [{ available: MARK }, { taken: MARK }],
  latch: [{ count: MARK }, { count: -1 }, { listeners: [7] }],
}

const calls: Readonly<
  Record<string, (holdfast: Holdfast, name: string, waitMs: number) => Promise<unknown>>
> = {
  lock: (holdfast, name, waitMs) => holdfast.lock(name).acquire({ waitMs }),
  'read-write': (holdfast, name, waitMs) => holdfast.readWriteLock(name).writeLock().acquire({ waitMs }),
  semaphore: (holdfast, name, waitMs) => holdfast.semaphore(name).acquire({ waitMs }),
  permits: (holdfast, name, waitMs) => holdfast.permitExpirableSemaphore(name).acquire({ waitMs }),
  latch: (holdfast, name, waitMs) => holdfast.countDownLatch(name).await({ waitMs }),
}

describe('a row that another program has spoilt', () => {
  const path = new Stand().path()
  let holdfast: Holdfast
  let file: ReturnType<ReturnType<typeof findDriver>>

  beforeAll(async () => {
    holdfast = new Holdfast(sqlite(path), { watchdogMs: 6_000 })
    await holdfast.lock('first').isLocked()
    file = findDriver()(path)
    file.exec('PRAGMA busy_timeout = 5000')
  })
  afterAll(async () => {
    file?.close()
    await holdfast?.close()
  })

  const spoil = (keyspace: string, rest: string, columns: Readonly<Record<string, unknown>> = {}): string => {
    const name = randomUUID()
    const row = { keyspace, name, holds: 0, waiting: '', rest, changed_at: 0, ...columns }
    const quoted = Object.values(row).map((value) => `'${String(value).replaceAll("'", "''")}'`)
    file.exec(`INSERT INTO holdfast_rows (${Object.keys(row).join()}) VALUES (${quoted.join()})`)
    return name
  }
  const refused = async (keyspace: string, name: string): Promise<void> => {
    const error = await rejectionOf(Promise.resolve(calls[keyspace]?.(holdfast, name, 20_000)))
    expect(error).toBeInstanceOf(StoreError)
    expect(error).toMatchObject({ reason: 'wrong-type', transient: false, lockName: name })
    expect(String(error)).toMatch(/ in place of /)
    expect(`${String(error)} ${JSON.stringify(error)}`).not.toContain(MARK)
  }

  test('faults A1, B18: is an error that names the type and not the value, and nothing else of the client is touched', async () => {
    const hold = await holdfast.lock('bystander').acquire()
    for (const [keyspace, rests] of Object.entries(spoilt)) {
      for (const rest of [5, null, [], MARK, ...rests])
        await refused(keyspace, spoil(keyspace, JSON.stringify(rest)))
      await refused(keyspace, spoil(keyspace, `{${MARK}`))
    }
    for (const column of ['owner', 'fence', 'ends_at', 'holds'])
      await refused('lock', spoil('lock', '{}', { owner: 'a:1', ends_at: 1, [column]: MARK }))
    await new Promise((resolve) => holdfast.once('renewed', resolve))
    expect(hold.signal.aborted).toBe(false)
    await hold.release()
  })

  test('faults A1: whatever it is, a call rejects with an error of Holdfast, or has what it asked for', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...Object.keys(calls)),
        fc.dictionary(
          fc.constantFrom(...'line holds taken answered listeners available count value ties'.split(' ')),
          fc.jsonValue({ maxDepth: 3 }),
        ),
        async (keyspace, rest) => {
          const name = spoil(keyspace, JSON.stringify(rest))
          const outcome: unknown = await calls[keyspace]?.(holdfast, name, 1).catch((error: unknown) => error)
          if (outcome instanceof Error)
            expect(outcome).toMatchObject({ code: expect.stringMatching(/^[A-Z_]+$/) })
        },
      ),
      runsOr(100),
    )
  })
})
