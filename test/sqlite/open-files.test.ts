/** Which files stay open with libsql, which closes them only when its statements have been collected. */
import { readdirSync, readlinkSync, renameSync } from 'node:fs'
import { dirname } from 'node:path'
import process from 'node:process'
import { expect, test } from 'vitest'
import { type Driver, findDriver, libsqlDriver } from '../../src/stores/sqlite/driver.js'
import { Stand } from './stand.js'

const stand = new Stand()
// Two copies of SQLite in one process would not see each other's locks: all here use this one.
const driver = libsqlDriver() ?? findDriver()

/** How many descriptors this process has for files there. */
function openBeside(path: string): number {
  const targets = readdirSync('/proc/self/fd').map((descriptor) => {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`)
    } catch {
      return ''
    }
  })
  return targets.filter((target) => target.startsWith(dirname(path))).length
}

const onLinux = test.skipIf(process.platform !== 'linux')

onLinux('clients that are opened and closed one after the other open the files once', async () => {
  const path = stand.path()
  for (let round = 0; round < 20; round += 1) {
    const client = stand.client(path, { driver })
    await client.count('a')
    await client.session.close()
  }
  expect(openBeside(path)).toBeLessThan(10)
  expect((await stand.client(path, { driver }).read('a')).fence).toBe(20n)
})

onLinux('a full disk does not make each command open the files anew', async () => {
  const path = stand.path()
  const small: Driver = (at) => {
    const connection = driver(at)
    connection.exec('PRAGMA max_page_count = 20')
    return connection
  }
  const client = stand.client(path, { driver: small })
  for (let round = 0; round < 20; round += 1)
    await expect(client.write('a', { rest: 'x'.repeat(200_000) })).rejects.toMatchObject({
      reason: 'out-of-memory',
    })
  expect(openBeside(path)).toBeLessThan(10)
  await client.count('a')
})

test('what a closed client leaves open is not used for another file of that name', async () => {
  const path = stand.path()
  const client = stand.client(path, { driver })
  await client.count('a')
  await client.session.close()
  renameSync(path, `${path}.old`)
  await stand.client(path, { driver }).count('a')
  expect((await stand.client(path, { driver }).read('a')).fence).toBe(1n)
})

test('a client that was refused, because the file was locked, leaves nothing that hinders the next', async () => {
  const path = stand.path()
  await stand.client(path, { driver }).read('a')
  const other = driver(path)
  other.exec('BEGIN IMMEDIATE')
  const refused = stand.client(path, { driver, commandTimeoutMs: 1 })
  await expect(refused.count('a')).rejects.toMatchObject({ reason: 'timeout' })
  await refused.session.close()
  other.exec('ROLLBACK')
  other.close()
  const next = stand.client(path, { driver })
  await next.count('a')
  expect((await stand.client(path, { driver }).read('a')).fence).toBe(1n)
})
