/** Database servers that all test files of a run share, each started when the first file asks for it, and a database in them for each. */
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import process from 'node:process'
import { createConnection } from 'mysql2/promise'
import pg from 'pg'
import { describe, inject } from 'vitest'
import { listen } from '../servers/port.js'
import {
  bringSqlServer,
  type ProductName,
  type SqlAddress,
  type SqlServer,
  whyNot,
} from '../servers/sql/index.js'
import { duringAll } from './during.js'

declare module 'vitest' {
  interface ProvidedContext {
    /** The port on which the run's own process is asked for a database server. */
    databases: number
  }
}

type Answer = { readonly refusal?: string; readonly address?: SqlAddress }

export async function offerDatabases(): Promise<{ readonly port: number; stop(): Promise<void> }> {
  const servers = new Map<string, Promise<SqlServer>>()
  const answer = async (verb: string | undefined, name: string | undefined): Promise<Answer> => {
    if (name !== 'PostgreSQL' && name !== 'MariaDB' && name !== 'MySQL') throw new Error(`no ${name}`)
    if (verb === 'find') {
      const refusal = await whyNot(name)
      return refusal === undefined ? {} : { refusal }
    }
    const server = servers.get(name) ?? bringSqlServer(name)
    servers.set(name, server)
    return { address: (await server).address }
  }
  const listener = createServer((request, response) => {
    const [, verb, name] = (request.url ?? '').split('/')
    answer(verb, name)
      .catch((error: unknown): Answer => ({ refusal: String(error) }))
      .then((told) => response.end(JSON.stringify(told)))
      .catch(() => response.destroy())
  })
  return {
    port: await listen(listener),
    stop: async () => {
      listener.close()
      listener.closeAllConnections()
      const started = await Promise.allSettled(servers.values())
      await Promise.all(started.map((each) => each.status === 'fulfilled' && each.value.stop()))
    },
  }
}

async function ask(verb: 'find' | 'bring', product: ProductName): Promise<Answer> {
  const response = await fetch(`http://127.0.0.1:${inject('databases')}/${verb}/${product}`)
  return JSON.parse(await response.text())
}

/** A database of one test file, on a server that others use too. */
export interface Database {
  readonly product: ProductName
  readonly address: SqlAddress
  /** Removes it, with whatever is still connected to it. */
  drop(): Promise<void>
}

export async function bringDatabase(product: ProductName): Promise<Database> {
  const { address, refusal } = await ask('bring', product)
  if (!address) throw new Error(refusal)
  const database = `test_${randomUUID().replaceAll('-', '')}`
  await onServer(product, address, `CREATE DATABASE ${database}`)
  const dropping = `DROP DATABASE ${database}${product === 'PostgreSQL' ? ' WITH (FORCE)' : ''}`
  return { product, address: { ...address, database }, drop: () => onServer(product, address, dropping) }
}

/**
 * A group of tests for each product, with a database that is there while they run. Where a product cannot be had its group is
 * skipped, and named by the reason; in CI that is an error.
 */
export async function onDatabases(
  products: readonly ProductName[],
  tests: (database: () => Database, product: ProductName) => void,
): Promise<void> {
  for (const product of products) {
    const { refusal } = await ask('find', product)
    if (refusal !== undefined && process.env['CI']) throw new Error(`no ${product} is to be had: ${refusal}`)
    const title = refusal === undefined ? product : `${product}, which is not to be had here: ${refusal}`
    describe.skipIf(refusal !== undefined)(title, () => {
      const database = duringAll(() => bringDatabase(product))
      tests(() => database, product)
    })
  }
}

async function onServer(product: ProductName, address: SqlAddress, statement: string): Promise<void> {
  const { host, port, user, password, database } = address
  if (product === 'PostgreSQL') {
    const client = new pg.Client({ host, port, user, password, database })
    await client.connect()
    await client.query(statement).finally(() => client.end())
    return
  }
  const connection = await createConnection({ host, port, user, password })
  await connection.query(statement).finally(() => connection.end())
}
