/** The file: how it is made, and what can become of it. */
import { linkSync, mkdirSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import process from 'node:process'
import { describe, expect, test } from 'vitest'
import { InvalidArgumentError } from '../../src/base/errors/errors.js'
import { DatabaseFile } from '../../src/stores/sqlite/database-file.js'
import { type Connection, type Driver, findDriver, libsqlDriver } from '../../src/stores/sqlite/driver.js'
import { networkFileSystemOf } from '../../src/stores/sqlite/network-file-system.js'
import { checkSqliteOptions } from '../../src/stores/sqlite/options.js'
import { eventually } from '../setup/eventually.js'
import { Stand } from './stand.js'

const stand = new Stand()

function modeOf(path: string): string {
  return (statSync(path).mode & 0o777).toString(8)
}

function connect(path: string): Connection {
  return findDriver()(path)
}

function made(path: string): string {
  mkdirSync(dirname(path), { recursive: true })
  return path
}

describe('options', () => {
  test.each([
    ['', 'path'],
    [':memory:', 'path'],
    ['file:locks.db', 'path'],
    ['a\0b', 'path'],
    [{ path: 'a', mode: 0o400 }, 'mode'],
    [{ path: 'a', mode: 0o1600 }, 'mode'],
    [{ path: 'a', retainMs: 0.5 }, 'retainMs'],
  ])('%j is refused', (options, argument) => {
    expect(() => checkSqliteOptions(options)).toThrow(InvalidArgumentError)
    expect(() => checkSqliteOptions(options)).toThrow(new RegExp(`^${argument} is`))
  })
})

describe.skipIf(process.platform === 'win32')('modes', () => {
  test.each([
    ['the owner’s alone', {}, '600', '700'],
    ['the group’s, if it is for a group', { mode: 0o660 }, '660', '770'],
  ])('the file, its folder and all that belongs to it are %s', async (_, options, ofFile, ofFolder) => {
    const path = stand.path()
    const client = stand.client({ path, ...options })
    await client.listen()
    await client.write('a', { holds: 1 })
    const files = ['', '-wal', '-shm', `-bells/${client.id}`].map((ending) => modeOf(path + ending))
    expect(files).toEqual(files.map(() => ofFile))
    expect([modeOf(dirname(path)), modeOf(`${path}-bells`)]).toEqual([ofFolder, ofFolder])
  })

  test('a file that is there keeps its mode', async () => {
    const path = made(stand.path())
    writeFileSync(path, '', { mode: 0o644 })
    const mode = modeOf(path)
    await stand.client(path).write('a', { holds: 1 })
    expect(modeOf(path)).toBe(mode)
  })
})

describe('is refused for good', () => {
  const refusal = (reason: string): object => ({ code: 'STORE_ERROR', reason, transient: false })

  test.each<[string, string, (path: string) => void]>([
    ['a file that is no database', 'wrong-type', (path) => writeFileSync(made(path), 'diary '.repeat(1_000))],
    ['a folder', 'wrong-type', (path) => mkdirSync(path, { recursive: true })],
    [
      'a file of several names',
      'not-ready',
      (path) => {
        writeFileSync(made(path), '')
        linkSync(path, `${path}2`)
      },
    ],
  ])('%s', async (_, reason, make) => {
    const path = stand.path()
    make(path)
    await expect(stand.client(path).read('a')).rejects.toMatchObject(refusal(reason))
  })

  test.each([
    'CREATE TABLE mine (id INTEGER)',
    "PRAGMA encoding = 'UTF-16'; CREATE TABLE t (id); DROP TABLE t",
  ])('another program’s database: %s', async (makes) => {
    const path = made(stand.path())
    const other = connect(path)
    other.exec(makes)
    await expect(stand.client(path).read('a')).rejects.toMatchObject(refusal('wrong-type'))
    expect(other.prepare('PRAGMA journal_mode').all()).toMatchObject([{ journal_mode: 'delete' }])
    other.close()
  })

  test('a file of a later version', async () => {
    const path = stand.path()
    const client = stand.client(path)
    await client.read('a')
    await client.session.close()
    const other = connect(path)
    other.exec('PRAGMA user_version = 2')
    other.close()
    await expect(stand.client(path).read('a')).rejects.toThrow(/later version of Holdfast \(schema 2\)/)
  })

  test.skipIf(process.platform !== 'linux').each([
    ['a place where nobody may write', '/sys/kernel/locks.db', 'permission'],
    ['a place where no file can be', '/proc/locks.db', 'not-ready'],
    ['a folder in which no other can be made', '/proc/nothing/there/locks.db', 'not-ready'],
    ['a name that is too long', `/tmp/${'x'.repeat(300)}`, 'not-ready'],
  ])('%s', async (_, path, reason) => {
    await expect(stand.client(path).read('a')).rejects.toMatchObject(refusal(reason))
  })

  test('a file on a network file system, unless the user knows better', () => {
    const path = stand.path()
    const warnings: unknown[] = []
    const open = (networkFileSystem: 'refuse' | 'warn'): DatabaseFile =>
      new DatabaseFile(
        checkSqliteOptions({ path, networkFileSystem }),
        (error) => warnings.push(error),
        () => 'NFS',
      )
    expect(() => open('refuse')).toThrow(/network file system \(NFS\)/)
    expect(warnings).toEqual([])
    expect(open('warn').path).toBe(path)
    expect(warnings).toMatchObject([refusal('not-ready')])
  })
})

test('an error that ends the transaction by itself is told, not that there is none to take back', async () => {
  const path = stand.path()
  await stand.client(path).write('a', { holds: 1 })
  rmSync(`${path}-wal`)
  await expect(stand.client(path).read('a')).rejects.toMatchObject({
    reason: 'unreachable',
    transient: true,
    message: expect.stringContaining('do not fit together'),
  })
})

test.skipIf(process.platform !== 'linux')('network file systems are told by their numbers', () => {
  expect(networkFileSystemOf('/', () => 0x6969)).toBe('NFS')
  expect(networkFileSystemOf('/', () => 0xff534d42)).toBe('CIFS')
  expect(networkFileSystemOf('/', () => 0xef53)).toBeUndefined()
  expect(networkFileSystemOf('/proc')).toBeUndefined()
})

test('a symbolic link leads to the same locks', async () => {
  const path = made(stand.path())
  const link = made(stand.path())
  symlinkSync(path, link)
  writeFileSync(path, '')
  const [one, other] = [stand.client(path), stand.client(link)]
  await one.listen()
  await other.tell(one.id, 'a', 'b')
  await eventually(() => one.heard.length > 0)
})

describe('a file that is locked by somebody', () => {
  test('for longer than a command may take is a transient failure, and nothing is changed', async () => {
    const path = stand.path()
    const client = stand.client(path, { commandTimeoutMs: 100 })
    await client.read('a')
    const other = connect(path)
    other.exec('BEGIN IMMEDIATE')
    const both = await Promise.allSettled([client.write('a', { holds: 1 }), client.write('b', { holds: 1 })])
    const failed = { status: 'rejected', reason: { reason: 'timeout', transient: true } }
    expect(both).toMatchObject([failed, failed])
    other.exec('ROLLBACK')
    other.close()
    expect(await client.names()).toEqual([])
    await client.write('a', { holds: 1 })
  })

  test('for less is waited for, while it is made too', async () => {
    const path = made(stand.path())
    writeFileSync(path, '')
    const other = connect(path)
    const client = stand.client(path)
    for (let holds = 1; holds <= 2; holds += 1) {
      other.exec('BEGIN IMMEDIATE')
      const write = client.write('a', { holds })
      await new Promise((resolve) => setTimeout(resolve, 50))
      other.exec('ROLLBACK')
      await write
    }
    other.close()
  })
})

describe('a file that goes away while it is open', () => {
  const removed = (path: string, endings: readonly string[]): void => {
    for (const ending of endings) rmSync(path + ending, { recursive: true, force: true })
  }
  test.each<[string, (path: string) => void]>([
    ['deleted alone', (path) => removed(path, [''])],
    ['moved', (path) => renameSync(path, `${path}.old`)],
    ['deleted with all that belongs to it', (path) => removed(path, ['', '-wal', '-shm', '-bells'])],
  ])('%s: everybody goes on with a new one, and is told', async (_, go) => {
    const path = stand.path()
    const [one, other] = [stand.client(path), stand.client(path)]
    await Promise.all([one.listen(), other.listen()])
    await one.write('a', { owner: `${one.id}:1`, holds: 1 })
    go(path)
    expect((await one.read('a')).owner).toBeUndefined()
    await one.write('a', { holds: 5 })
    expect((await other.read('a')).holds).toBe(5)
    expect(one.errors).toMatchObject([{ code: 'STORE_ERROR', reason: 'unreachable' }])
    expect(one.missed).toBeGreaterThan(0)
    await Promise.all([one.listen(), other.listen()])
    await other.tell(one.id, 'a', 'still there')
    await eventually(() => one.heard.length === 1)
  })
})

test('two processes that remove the log of a lost file at once both go on', async () => {
  let begun = 0
  const driver: Driver = (at) => {
    const connection = findDriver()(at)
    return {
      exec: (sql) => {
        if (sql === 'BEGIN' && ++begun === 1)
          throw Object.assign(new Error('disk I/O error'), { errcode: 5898 })
        return connection.exec(sql)
      },
      prepare: (sql) => connection.prepare(sql),
      close: () => connection.close(),
    }
  }
  await stand.client(stand.path(), { driver }).write('a', { holds: 1 })
  expect(begun).toBeGreaterThan(1)
})

test('a library that is too old is told', async () => {
  const driver: Driver = (at) => {
    const connection = findDriver()(at)
    return {
      exec: (sql) => connection.exec(sql),
      prepare: (sql) => connection.prepare(sql.replace('sqlite_version()', "'3.34.1'")),
      close: () => connection.close(),
    }
  }
  await expect(stand.client(stand.path(), { driver }).read('a')).rejects.toMatchObject({
    reason: 'not-ready',
    transient: false,
    message: expect.stringContaining('SQLite 3.34.1; Holdfast needs 3.35 or later'),
  })
})

test('a disk that is full is told, changes nothing, and is over when there is room', async () => {
  const path = stand.path()
  const driver: Driver = (at) => {
    const connection = (libsqlDriver() ?? findDriver())(at)
    connection.exec('PRAGMA max_page_count = 20')
    return connection
  }
  const client = stand.client(path, { driver })
  await client.write('a', { fence: 1n })
  const rest = 'x'.repeat(200_000)
  const both = await Promise.allSettled([client.write('b', { rest }), client.write('a', { fence: 2n })])
  // They were one transaction.
  const failed = { status: 'rejected', reason: { reason: 'out-of-memory', transient: false } }
  expect(both).toMatchObject([failed, failed])
  expect((await client.read('a')).fence).toBe(1n)
  expect((await stand.client(path).read('b')).rest).toBeUndefined()
  await client.write('a', { fence: 2n })
  await client.write('c', { rest: 'small' })
  await stand.client(path).write('b', { rest })
})

test('the log is written back before it grows large, by whoever commits', async () => {
  const path = stand.path()
  const [one, other] = [stand.client(path), stand.client(path)]
  const rest = 'x'.repeat(50_000)
  for (let round = 0; round < 400; round += 1)
    await (round % 2 ? one : other).write('a', { rest: rest + round })
  expect(statSync(`${path}-wal`).size).toBeLessThan(10_000_000)
  expect((await one.read('a')).rest).toBe(`${rest}399`)
})
