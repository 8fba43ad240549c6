/** The tables of docs/options.md say what the code does: what they call the least is accepted, and anything less is refused. */
import { Redis } from 'ioredis'
import pg from 'pg'
import { afterAll, describe, expect, test } from 'vitest'
import { type OptionTable, optionTables } from '../../scripts/option-tables.js'
import { checkHoldfastOptions } from '../../src/client/holdfast-options.js'
import { LockClient } from '../../src/client/index.js'
import { Holdfast, InvalidArgumentError, quorum } from '../../src/index.js'
import { Service } from '../../src/integrations/service/service.js'
import { MemoryStore } from '../../src/stores/memory/index.js'
import { mysql } from '../../src/stores/mysql/index.js'
import { postgres } from '../../src/stores/postgres/index.js'
import { sqlite } from '../../src/stores/sqlite/index.js'
import { transactionLock, updateVersioned } from '../../src/transactions/index.js'

const redis = new Redis({ lazyConnect: true })
const holdfast = new Holdfast(new MemoryStore())
const lock = holdfast.lock('options')
const semaphore = holdfast.semaphore('options:permits')
const refuseToConnect = () => Promise.reject(new Error('these options are accepted'))
const pool = new pg.Pool()
const connection = { query: refuseToConnect }
afterAll(() => holdfast.close())

/** Passes options to a call that takes them, with what it cannot do without. */
const tried: Readonly<Record<string, (options: object) => unknown>> = {
  ClientOptions: (options) => new LockClient(redis, options),
  HoldfastOptions: (options) => new Holdfast(redis, { checkReplicas: 1, ...options }),
  AcquireOptions: (options) => lock.withLock({ signal: AbortSignal.timeout(0), ...options }, () => undefined),
  ComputeOnceOptions: (options) => holdfast.computeOnce('options', () => 1, { ttlMs: 1, ...options }),
  CloseOptions: (options) => new Holdfast(new MemoryStore()).close(options),
  ServiceOptions: (options) => new Service({ store: new MemoryStore(), ...options }, console),
  LockOptions: (options) => holdfast.lock('options', options),
  PermitsOptions: (options) => semaphore.tryAcquire({ waitMs: 0, ...options }),
  SpinOptions: (options) => holdfast.spinLock('options', options),
  JobOptions: (options) =>
    holdfast.job('options:job', { atLeastMs: 0, atMostMs: 1_000, ...options }, () => undefined),
  QuorumOptions: (options) => quorum([new MemoryStore(), new MemoryStore(), new MemoryStore()], options),
  MysqlOptions: (options) => mysql({ connect: refuseToConnect, ...options }),
  PostgresOptions: (options) => postgres(pool, options),
  SqliteOptions: (options) => sqlite({ path: '/tmp/options', ...options }),
  TransactionLockOptions: (options) => transactionLock(connection, 'options', options),
  VersionedRow: (options) =>
    updateVersioned(connection, { table: 'a', key: { b: 1 }, ...options }, () => undefined),
}

const tables = optionTables()
const limits = tables.flatMap(({ name: table, options }) =>
  options.flatMap(({ name, least }) =>
    /^\d/.test(least) ? [{ table, name, least: Number.parseInt(least, 10) }] : [],
  ),
)

describe('the least value of', () => {
  test.each(limits)('$table: $name, $least', async ({ table, name, least }) => {
    const below = await refusalOf(table, { [name]: least - 1 })
    expect(below).toBeInstanceOf(InvalidArgumentError)
    const message = expect.stringContaining(`${name} is ${least - 1};`)
    expect(below).toMatchObject({ argument: name, message })
    const atLeast = await refusalOf(table, { [name]: least })
    expect(atLeast instanceof InvalidArgumentError ? atLeast.argument : undefined).not.toBe(name)
  })
})

test.each(Object.keys(tried))('%s: an option that does not exist is refused', async (table) => {
  expect(await refusalOf(table, { waitMillis: 5 })).toMatchObject({
    message: expect.stringContaining('has the unknown option "waitMillis"'),
  })
})

test('the defaults of a client are those of the tables', () => {
  const { client, ...own } = checkHoldfastOptions({})
  const settings = Object.entries({ ...client, ...own })
  const said = [optionsOf('ClientOptions'), optionsOf('HoldfastOptions')].flat()
  const numbers = said.filter(({ standard }) => /^(\d+|Infinity|true|false)\b/.test(standard))
  expect(numbers.length).toBeGreaterThan(10)
  for (const { name, standard } of numbers)
    expect(settings).toContainEqual([name, expect.toSatisfy((value) => standard.startsWith(String(value)))])
})

test('options of a class are from where it is a value, and no type alone', () =>
  expect(tables.find(({ name }) => name === 'ClientOptions')?.module).toBe('holdfast/lock'))

test('every option has a text, and a default unless it is required or its text says what counts', () => {
  const all = tables.flatMap(({ name: table, options }) => options.map((option) => ({ table, ...option })))
  expect(all.length).toBeGreaterThan(60)
  expect(all.filter(({ text }) => text === '').map(({ table, name }) => `${table}.${name}`)).toEqual([])
})

function optionsOf(name: string): OptionTable['options'] {
  return tables.find((table) => table.name === name)?.options ?? []
}

/** What the call throws or rejects with. */
async function refusalOf(table: string, options: object): Promise<unknown> {
  const call = tried[table]
  if (!call) return new Error(`no call is known here that takes ${table}`)
  try {
    await call(options)
  } catch (error) {
    return error
  }
  return undefined
}
