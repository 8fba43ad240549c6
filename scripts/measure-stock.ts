/* Sells 2 000 pieces over 8 connections in each way of docs/when-not-to-lock.md, on a PostgreSQL brought for it. */
import pg from 'pg'
import { rowLock, sql, transactionLock, updateVersioned } from '../src/transactions/index.js'
import { bringSqlServer } from '../test/servers/sql/index.js'

const PIECES = 2_000
const CLIENTS = 8
const PARTS = 16

const server = await bringSqlServer('PostgreSQL', { settings: { fsync: 'on' } })
const { host, port, user, password, database } = server.address
const pool = new pg.Pool({ host, port, user, password, database, max: CLIENTS })
let statements = 0

/** One sale; gives whether there was a piece left. */
type Sale = (piece: number) => Promise<boolean>

async function query(text: string, ...values: unknown[]): Promise<number> {
  statements += 1
  return (await pool.query(text, values)).rowCount ?? 0
}

async function inTransaction(work: (tx: pg.PoolClient) => Promise<boolean>): Promise<boolean> {
  const tx = await pool.connect()
  try {
    await tx.query('BEGIN')
    const sold = await work(tx)
    await tx.query('COMMIT')
    statements += 2
    return sold
  } finally {
    tx.release()
  }
}

async function take(tx: pg.PoolClient): Promise<boolean> {
  const { rows } = await tx.query<{ amount: number }>("SELECT amount FROM stock WHERE item = 'bolts'")
  const left = rows[0]?.amount ?? 0
  if (left < 1) return false
  await tx.query("UPDATE stock SET amount = $1 WHERE item = 'bolts'", [left - 1])
  statements += 2
  return true
}

/** The pool, and what it sends. */
const counted = {
  query: (text: string, values: unknown[]) => {
    statements += 1
    return pool.query(text, values)
  },
  totalCount: CLIENTS,
}

const ways: Readonly<Record<string, Sale>> = {
  'one statement': async () =>
    (await query("UPDATE stock SET amount = amount - 1 WHERE item = 'bolts' AND amount >= 1")) > 0,
  'one statement, 16 parts': async (piece) =>
    (await query('UPDATE parts SET amount = amount - 1 WHERE part = $1 AND amount >= 1', piece % PARTS)) > 0,
  'a row for each piece': async (piece) =>
    (await query('INSERT INTO sold VALUES ($1) ON CONFLICT DO NOTHING', piece)) > 0,
  'version column': async () => {
    const row = await updateVersioned(
      counted,
      { table: 'stock', key: { item: 'bolts' }, attempts: 1_000 },
      ({ amount }) => (Number(amount) < 1 ? undefined : { amount: Number(amount) - 1 }),
    )
    return row !== undefined
  },
  rowLock: () =>
    inTransaction(async (tx) => {
      const [row] = await rowLock(tx, sql`SELECT amount FROM stock WHERE item = ${'bolts'} FOR UPDATE`)
      statements += 4
      await tx.query("UPDATE stock SET amount = $1 WHERE item = 'bolts'", [Number(row?.['amount']) - 1])
      return true
    }),
  transactionLock: () =>
    inTransaction(async (tx) => {
      await transactionLock(tx, 'bolts')
      statements += 1
      return take(tx)
    }),
}

await pool.query('CREATE TABLE stock (item text PRIMARY KEY, amount int NOT NULL, version bigint NOT NULL)')
await pool.query('CREATE TABLE parts (part int PRIMARY KEY, amount int NOT NULL)')
await pool.query('CREATE TABLE sold (piece int PRIMARY KEY)')
console.log('| way | sales a second | round trips for a sale, about |\n|---|---|---|')
for (const [name, sale] of Object.entries(ways)) {
  await pool.query('TRUNCATE stock, parts, sold')
  await pool.query("INSERT INTO stock VALUES ('bolts', $1, 1)", [PIECES])
  await pool.query(
    `INSERT INTO parts SELECT part, ${PIECES / PARTS} FROM generate_series(0, ${PARTS - 1}) AS part`,
  )
  statements = 0
  let next = 0
  const startedAt = performance.now()
  await Promise.all(
    Array.from({ length: CLIENTS }, async () => {
      for (let piece = next++; piece < PIECES; piece = next++) {
        if (!(await sale(piece))) throw new Error(`${name}: piece ${piece} was not sold`)
      }
    }),
  )
  const seconds = (performance.now() - startedAt) / 1_000
  console.log(`| ${name} | ${Math.round(PIECES / seconds)} | ${(statements / PIECES).toFixed(1)} |`)
}
await pool.end()
await server.stop()
