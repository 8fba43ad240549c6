/** The command line on databases: as on Redis, but for what only keys tell. */
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Holdfast } from '../../src/index.js'
import { sqlite } from '../../src/sqlite/index.js'
import { bringDatabase, type Database } from '../setup/databases.js'
import { execute } from '../setup/sql-script.js'
import { type Program, useProgram } from './program.js'

const scheme = { PostgreSQL: 'postgres', MySQL: 'mysql', MariaDB: 'mariadb' } as const
const password = /secret|password/

interface Where {
  readonly url: string
  end(): Promise<void>
}

const file = async (): Promise<Where> => {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-cli-'))
  return { url: `sqlite:${join(folder, 'locks.db')}`, end: () => rm(folder, { recursive: true }) }
}

const inDatabase = (product: keyof typeof scheme) => async (): Promise<Where> => {
  const database = await bringDatabase(product)
  return { url: urlOf(database), end: () => database.drop() }
}

describe.each([
  ['SQLite', file, undefined],
  ['PostgreSQL', inDatabase('PostgreSQL'), 'postgres'],
  ['MySQL', inDatabase('MySQL'), 'mysql'],
  ['MariaDB', inDatabase('MariaDB'), 'mysql'],
] as const)('holdfast in %s', (_, bring, schema) => {
  const program = useProgram()
  let where: Where
  beforeAll(async () => {
    where = await bring()
  })
  afterAll(() => where.end())
  const run = (...args: string[]) => program.run(['--url', where.url, ...args])

  test.runIf(schema)('without its table it says what to run, and that creates it', async () => {
    const before = await run('run', 'x', '--', 'true')
    expect(before.code).not.toBe(0)
    expect(before.stderr).toContain('holdfast schema')
    expect(before.stderr).not.toMatch(password)
    const { code, stdout } = await run('schema', schema ?? '')
    expect(code).toBe(0)
    await execute(where.url, stdout)
    expect((await run('run', 'x', '--', 'true')).code).toBe(0)
  })

  test('users 9: run, ls, inspect, unlock: a held lock is seen, kept from others, and freed by force', async () => {
    const running = program.start(['--url', where.url, 'run', 'nightly', '-v', '--', 'sleep', '600'])
    await running.says('got lock')
    const busy = await run('run', '-n', 'nightly', '--', 'true')
    expect(busy.code).toBe(75)
    const listed = await run('ls', 'night*', '--json')
    expect(JSON.parse(listed.stdout)).toMatchObject({ name: 'nightly', kind: 'lock', locked: true })
    const shown = await run('inspect', 'nightly')
    expect(shown.stdout).toContain('held')
    const freed = await run('unlock', '--force', '--yes', 'nightly')
    expect(freed.stdout).toContain('is free')
    expect((await run('run', '-n', 'nightly', '--', 'true')).code).toBe(0)
    expect((await run('ls', '--json')).stdout).toBe('')
    running.child.kill('SIGTERM')
    await running.outcome
  })

  test('one that waits gets the lock when the command before it has ended', async () => {
    const first = program.start(['--url', where.url, 'run', 'queue', '-v', '--', 'cat'])
    await first.says('got lock')
    const second = program.start(['--url', where.url, 'run', 'queue', '-v', '--', 'echo', 'mine'])
    await second.says('waiting for')
    first.child.stdin?.end()
    expect((await first.outcome).code).toBe(0)
    expect(await second.outcome).toMatchObject({ code: 0, stdout: 'mine\n' })
  })

  test('permits, latches and the command’s exit code', async () => {
    expect((await run('run', 'pool', '--permits', '1', '--of', '2', '--', 'sh', '-c', 'exit 7')).code).toBe(7)
    const shown = JSON.parse((await run('inspect', 'pool', '--json')).stdout)
    expect(shown).toMatchObject({ kind: 'semaphore', available: 2 })
  })
})

describe('without a server', () => {
  const program: Program = useProgram()

  test('locks are in a file of the user, which a program shares', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'holdfast-state-'))
    const env = { XDG_STATE_HOME: folder, HOLDFAST_REDIS_URL: '', HOLDFAST_URL: '' }
    expect(await program.run(['run', 'x', '--', 'echo', 'alone'], { env })).toMatchObject({
      code: 0,
      stdout: 'alone\n',
    })
    const path = join(folder, 'holdfast', 'locks.db')
    expect((await stat(path)).mode & 0o077).toBe(0)
    const holdfast = new Holdfast(sqlite(path))
    const hold = await holdfast.lock('x').acquire()
    expect((await program.run(['run', '-n', 'x', '--', 'true'], { env })).code).toBe(75)
    await hold.release()
    await holdfast.close()
    await rm(folder, { recursive: true })
  })
})

function urlOf({ product, address }: Database): string {
  const { user, password: word, host, port, database } = address
  return `${scheme[product]}://${user}:${encodeURIComponent(word)}@${host}:${port}/${database}`
}
