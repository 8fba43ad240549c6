/** Rings of three real processes over three locks in databases. */
import { afterAll, beforeAll } from 'vitest'
import { Holdfast } from '../../src/index.js'
import { ringCases, tracesOf } from '../deadlock/ring-cases.js'
import { onDatabases } from '../setup/databases.js'
import { type Rows, storeOf } from './store-of.js'

await onDatabases(['PostgreSQL', 'MariaDB', 'MySQL'], (database, product) => {
  const rows = (): Rows => ({ product, address: database().address })
  let looking: Holdfast
  beforeAll(async () => {
    looking = new Holdfast(storeOf(rows()))
    // Makes the table, so that no process of a ring loses time with that.
    await looking.lock('first').withLock(() => undefined)
  })
  afterAll(() => looking?.close())
  ringCases(rows, () => tracesOf(looking))
})
