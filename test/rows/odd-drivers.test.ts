/** Client libraries that throw what no client library throws, in place of a real answer: public calls reject with errors of Holdfast alone. */
import { randomUUID } from 'node:crypto'
import { Redis } from 'ioredis'
import { createConnection } from 'mysql2/promise'
import pg from 'pg'
import { describe, expect, inject, test } from 'vitest'
import { Holdfast, HoldfastError, type Store } from '../../src/index.js'
import { type MysqlConnection, mysql } from '../../src/stores/mysql/index.js'
import { postgres } from '../../src/stores/postgres/index.js'
import type { SqlAddress } from '../servers/sql/index.js'
import { onDatabases } from '../setup/databases.js'
import { publicCalls } from '../setup/public-calls.js'

const SETTINGS = { commandTimeoutMs: 5_000, storeTimeoutMs: 200 }

class DriverError {
  readonly code = 'E_DRIVER'
}

const odd = [
  () => Promise.reject(new TypeError("Cannot read properties of undefined (reading 'rows')")),
  () => Promise.reject(new DriverError()),
  () => {
    throw undefined
  },
]

/** What is done in place of a command; undefined: nothing. */
let instead: (() => Promise<never>) | undefined

async function outcomeOf(call: () => Promise<unknown>): Promise<unknown> {
  try {
    return await call()
  } catch (error) {
    return error
  }
}

async function putToTest(client: Redis | Store, close: () => unknown): Promise<void> {
  instead = undefined
  const holdfast = new Holdfast(client, SETTINGS)
  holdfast.on('error', () => undefined)
  const lost: unknown[] = []
  holdfast.on('lost', (event) => lost.push(event))
  const hold = await holdfast.lock(randomUUID()).acquire()
  for (const each of odd) {
    instead = each
    const calls = Object.entries(publicCalls).map(async ([name, call]) => {
      const outcome = await outcomeOf(() => call(holdfast, randomUUID()))
      expect(outcome, `${name}: ${each}`).toBeInstanceOf(HoldfastError)
    })
    await Promise.all(calls)
  }
  instead = undefined
  expect(lost).toEqual([])
  hold.assertHeld()
  await hold.release()
  await holdfast.close()
  await close()
}

class OddRedis extends Redis {
  override duplicate(override?: Parameters<Redis['duplicate']>[0]): Redis {
    const client = super.duplicate(override)
    const real = client.sendCommand.bind(client)
    Object.defineProperty(client, 'sendCommand', {
      value: (...args: Parameters<typeof real>) => (instead ? instead() : real(...args)),
    })
    return client
  }
}

class OddClient extends pg.Client {}
Object.defineProperty(OddClient.prototype, 'query', {
  value: function query(this: pg.Client, ...args: unknown[]) {
    return instead ? instead() : Reflect.apply(pg.Client.prototype.query, this, args)
  },
})

async function oddConnection({ host, port, user, password, database }: SqlAddress): Promise<MysqlConnection> {
  const connection = await createConnection({ host, port, user, password, database })
  for (const method of ['query', 'execute'] as const) {
    const real: (...args: never[]) => unknown = connection[method].bind(connection)
    Object.defineProperty(connection, method, {
      value: (...args: never[]) => (instead ? instead() : real(...args)),
    })
  }
  return connection
}

describe('ioredis', () => {
  test('faults B18: whatever it throws, public calls reject with errors of Holdfast', async () => {
    const { host, port } = inject('servers').standalone
    const client = new OddRedis({ host, port, lazyConnect: true })
    await putToTest(client, () => client.disconnect())
  }, 60_000)
})

await onDatabases(['PostgreSQL', 'MySQL'], (database, product) => {
  test('faults B18: whatever the client library throws, public calls reject with errors of Holdfast', async () => {
    const { address } = database()
    if (product === 'MySQL') {
      const store = mysql({ connect: () => oddConnection(address), createTable: true })
      return await putToTest(store, () => undefined)
    }
    const { host, port, user, password, database: base } = address
    const pool = new pg.Pool({ host, port, user, password, database: base, Client: OddClient })
    await putToTest(postgres(pool, { createTable: true }), () => pool.end())
  }, 60_000)
})
