/** The programs of docs/cookbook.md that lock in a transaction of an ORM, in a project that has installed those. */
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { promisify } from 'node:util'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { transactionLock } from '../../src/transactions/index.js'
import { root, type Snippet, snippetsOf } from '../docs/snippet.js'
import { npm } from '../packaging/packed.js'
import { type Database, onDatabases } from '../setup/databases.js'
import { Program } from './program.js'

const packages = ['pg@8', 'drizzle-orm@0.45', 'typeorm@1', 'reflect-metadata', 'knex@3']
const ofPrisma = ['prisma@7', '@prisma/client@7', '@prisma/adapter-pg@7']

const page = 'docs/cookbook.md'
const examples = snippetsOf(page, await readFile(join(root, page), 'utf8'), /^js\b/)

/** Prisma generates its client from this. */
const schema = `
generator client {
  provider = "prisma-client-js"
}
datasource db {
  provider = "postgresql"
}
model Invoice {
  id      Int     @id
  settled Boolean
  @@map("invoice")
}
`

/** Whoever changes an invoice notes how many locks of a transaction its own transaction has. */
const TABLES = `
CREATE TABLE invoice (id int PRIMARY KEY, settled boolean NOT NULL);
CREATE TABLE locks_seen (held int NOT NULL);
CREATE FUNCTION note_locks() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO locks_seen SELECT count(*) FROM pg_locks
    WHERE locktype = 'advisory' AND granted AND pid = pg_backend_pid();
  RETURN NEW;
END $$;
CREATE TRIGGER note BEFORE UPDATE ON invoice FOR EACH ROW EXECUTE FUNCTION note_locks();
INSERT INTO invoice VALUES (42, false);
`

/** What one passes who does not know the connection, and what the error says to pass. */
const MISTAKES: Readonly<Record<string, readonly [passed: string, line: string]>> = {
  drizzle: ['tx', 'for Drizzle pass the client that drizzle(client) was given'],
  typeorm: ['manager', 'for TypeORM pass await manager.queryRunner.connect()'],
  knex: ['trx', 'for Knex pass await trx.client.acquireConnection()'],
  prisma: ['tx', 'Prisma hides its connection: docs/cookbook.md'],
}

const timeout = 90_000
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-orms-'))
  await mkdir(join(folder, 'prisma'))
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }))
  await writeFile(join(folder, 'prisma', 'schema.prisma'), schema)
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline']
  await npm(folder, ['install', ...quiet, ...packages, ...ofPrisma])
  await symlink(root, join(folder, 'node_modules', 'holdfast'), 'junction')
  // With a driver adapter Prisma needs no program of its own, but its command line fetches one all the same unless it is told of one.
  const env = { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: process.execPath, CHECKPOINT_DISABLE: '1' }
  const prisma = join(folder, 'node_modules', 'prisma', 'build', 'index.js')
  await promisify(execFile)(process.execPath, [prisma, 'generate'], { cwd: folder, env })
}, 400_000)
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Runs it against that database. */
async function ending({ code, example }: Snippet, database: Database) {
  const file = join(folder, `${example}.js`)
  await writeFile(file, code)
  const { user, password, host, port, database: name } = database.address
  const DATABASE_URL = `postgres://${user}:${encodeURIComponent(password)}@${host}:${port}/${name}`
  return await new Program(file, [], { DATABASE_URL }).endWithin(60_000)
}

test('there is a program for each of them', () =>
  expect(examples.map(({ example }) => example)).toEqual(['drizzle', 'typeorm', 'knex', 'prisma']))

await onDatabases(['PostgreSQL'], (given) => {
  let client: pg.Client
  const query = async (text: string): Promise<unknown[]> => (await client.query(text)).rows
  beforeAll(async () => {
    client = new pg.Client({ ...given().address })
    await client.connect()
    await query(TABLES)
  })
  afterAll(() => client.end())

  describe.each(examples.map((snippet) => ({ title: snippet.example, snippet })))('$title', ({ snippet }) => {
    test('locks and writes in one transaction, which leaves no lock behind', { timeout }, async () => {
      await query('UPDATE invoice SET settled = false; DELETE FROM locks_seen')
      expect(await ending(snippet, given())).toMatchObject({ code: 0, stderr: '' })
      expect(await query('SELECT settled FROM invoice')).toEqual([{ settled: true }])
      expect(await query('SELECT held FROM locks_seen')).toEqual([{ held: 1 }])
      await query('BEGIN')
      await transactionLock(client, 'invoice:42', { waitMs: 0 })
      await query('ROLLBACK')
    })

    test('writes nothing while another transaction has the lock', { timeout }, async () => {
      await query('UPDATE invoice SET settled = false')
      await query('BEGIN')
      await transactionLock(client, 'invoice:42')
      const { code, stderr } = await ending(snippet, given())
      await query('ROLLBACK')
      expect(code).not.toBe(0)
      expect(stderr).toContain("code: 'LOCK_TIMEOUT'")
      expect(await query('SELECT settled FROM invoice')).toEqual([{ settled: false }])
    })

    test('who passes what the ORM passes is told which connection to pass', { timeout }, async () => {
      const [passed, line] = MISTAKES[snippet.example ?? ''] ?? expect.unreachable()
      const code = snippet.code.replace('transactionLock(client,', `transactionLock(${passed},`)
      expect(code).not.toBe(snippet.code)
      const { stderr } = await ending({ ...snippet, code }, given())
      expect(stderr).toContain("argument: 'tx'")
      expect(stderr).toContain(line)
      expect(await query('SELECT settled FROM invoice')).toEqual([{ settled: false }])
    })
  })
})
