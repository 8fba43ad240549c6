/** The short ways for a lock that nobody waits for: each does what a change would, or nothing. */
import { expect, test } from 'vitest'
import { NO_ROW } from '../../src/stores/rows/shape.js'
import { findDriver } from '../../src/stores/sqlite/driver.js'
import { Stand } from './stand.js'

const stand = new Stand()

const NOW = 1_800_000_000_000
const owner = 'x:1'

test('take: not where the clock tells a time that the last token has reached; the change counts on from there', async () => {
  const machine = { boot: 'first', monotonicMs: () => 5, wallMs: () => NOW }
  const client = stand.client(stand.path(), { machine })
  await client.read('any')
  for (const fence of [BigInt(NOW) * 1_000n, 2n ** 60n]) {
    const row = { ...NO_ROW, fence }
    await client.write('ahead', row)
    expect(await client.session.express?.take({ name: 'ahead', owner, leaseMs: 1_000 })).toBeUndefined()
    expect(await client.read('ahead')).toEqual(row)
  }
})

test('take and free: after another process kept the file locked, this client commits as before', async () => {
  const path = stand.path()
  const client = stand.client(path)
  await client.read('any')
  const other = findDriver()(path)
  for (const short of [
    () => client.session.express?.take({ name: 'a', owner, leaseMs: 1_000 }),
    () => client.session.express?.free('a', owner),
  ]) {
    other.exec('BEGIN IMMEDIATE')
    expect(await short()).not.toBeTruthy()
    other.exec('COMMIT')
    await client.write('a', { ...NO_ROW, owner, holds: 1, endsAt: NOW + 1_000 })
    expect(await client.session.express?.free('a', owner)).toBe(true)
  }
  other.close()
})
