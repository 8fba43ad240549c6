/** What another program has written into a row is told as such, without its value, and touches nothing else of the client. */
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Holdfast, StoreError } from '../../src/index.js'
import { findDriver } from '../../src/stores/sqlite/driver.js'
import { sqlite } from '../../src/stores/sqlite/index.js'
import { runsOr } from '../properties/runs.js'

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
  const dir = mkdtempSync(join(tmpdir(), 'holdfast-spoilt-'))
  const path = join(dir, 'locks.db')
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
    rmSync(dir, { recursive: true, force: true })
  })

  const spoil = (keyspace: string, rest: string, columns: readonly [string, unknown][] = []): string => {
    const name = randomUUID()
    const row = new Map<string, unknown>([
      ['keyspace', keyspace],
      ['name', name],
      ['owner', null],
      ['holds', 0],
      ['ends_at', null],
      ['fence', null],
      ['waiting', ''],
      ['rest', rest],
      ['changed_at', 0],
      ...columns,
    ])
    const quoted = [...row.values()].map((value) =>
      typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value),
    )
    file.exec(`INSERT INTO holdfast_rows (${[...row.keys()].join()}) VALUES (${quoted.join()})`)
    return name
  }
  const refused = async (keyspace: string, name: string): Promise<void> => {
    const error: unknown = await calls[keyspace]?.(holdfast, name, 20_000).catch(
      (failure: unknown) => failure,
    )
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
    const columns: Array<[string, unknown]> = [
      ['owner', MARK],
      ['fence', MARK],
      ['ends_at', MARK],
      ['holds', MARK],
    ]
    for (const column of columns)
      await refused('lock', spoil('lock', '{}', [['owner', 'a:1'], ['ends_at', 1], column]))
    const renewed = new Promise((resolve) => holdfast.once('renewed', resolve))
    await renewed
    expect(hold.signal.aborted).toBe(false)
    await hold.release()
  })

  test('faults A1: whatever it is, a call rejects with an error of Holdfast, or has what it asked for', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...Object.keys(calls)),
        fc.dictionary(
          fc.constantFrom(
            'line',
            'holds',
            'taken',
            'answered',
            'listeners',
            'available',
            'count',
            'value',
            'ties',
          ),
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
