/** The short ways for a lock that nobody waits for: each does what a change would, or nothing. */
import { expect, test } from 'vitest'
import { NO_ROW } from '../../src/stores/rows/shape.js'
import { findDriver } from '../../src/stores/sqlite/driver.js'
import type { Machine } from '../../src/stores/sqlite/machine.js'
import type { TestClient } from './client.js'
import { Stand } from './stand.js'

const stand = new Stand()

const NOW = 1_800_000_000_000
const owner = 'x:1'

async function opened(machine: Machine): Promise<TestClient> {
  const client = stand.client(stand.path(), { machine })
  await client.read('any')
  return client
}

function still(): Machine {
  return { boot: 'first', monotonicMs: () => 5, wallMs: () => NOW }
}

const taken = { ...NO_ROW, owner, holds: 1, endsAt: NOW + 1_000 }

test('take: a lock that is free, or whose lease has ended, with a token that tells the time', async () => {
  const client = await opened(still())
  const take = (name: string): Promise<bigint | undefined> | undefined =>
    client.session.express?.take({ name, owner, leaseMs: 1_000 })
  expect(await take('plain')).toBe(BigInt(NOW) * 1_000n)
  expect(await client.read('plain')).toEqual({ ...taken, fence: BigInt(NOW) * 1_000n, since: NOW })
  expect(await take('plain')).toBeUndefined()
  await client.write('lapsed', { owner: 'y:1', holds: 3, endsAt: NOW, fence: 7n })
  expect(await take('lapsed')).toBe(BigInt(NOW) * 1_000n)
  expect(await client.read('lapsed')).toMatchObject({ ...taken, fence: BigInt(NOW) * 1_000n })
  const held = { ...taken, owner: 'y:1', fence: 7n }
  await client.write('held', held)
  expect(await take('held')).toBeUndefined()
  expect(await client.read('held')).toMatchObject(held)
})

test('take: not where the clock tells a time that the last token has reached; the change counts on from there', async () => {
  const client = await opened(still())
  for (const fence of [BigInt(NOW) * 1_000n, 2n ** 60n]) {
    const row = { ...NO_ROW, fence }
    await client.write('ahead', row)
    expect(await client.session.express?.take({ name: 'ahead', owner, leaseMs: 1_000 })).toBeUndefined()
    expect(await client.read('ahead')).toEqual(row)
  }
})

test('take and free: not where somebody waits or there is more in the row', async () => {
  const client = await opened(still())
  for (const more of [{ waiting: ['z'] }, { rest: '{}' }]) {
    await client.write('a', { ...NO_ROW, ...more })
    const before = await client.read('a')
    expect(await client.session.express?.take({ name: 'a', owner, leaseMs: 1 })).toBeUndefined()
    expect(await client.read('a')).toEqual(before)
    await client.write('a', { ...taken, ...more })
    expect(await client.session.express?.free('a', owner)).toBe(false)
    expect(await client.read('a')).toEqual({ ...taken, ...more })
  }
})

test('free: the only hold of that owner, while its lease lasts', async () => {
  const client = await opened(still())
  const free = (): Promise<boolean> | undefined => client.session.express?.free('a', owner)
  expect(await free()).toBe(false)
  for (const other of [{ owner: 'x:2' }, { holds: 2 }, { endsAt: NOW }]) {
    await client.write('a', { ...taken, ...other })
    expect(await free()).toBe(false)
  }
  await client.write('a', { ...taken, fence: 5n })
  expect(await free()).toBe(true)
  expect(await client.read('a')).toEqual({ ...NO_ROW, fence: 5n })
})

test('renew: as many as are asked for, one answer for each, and never to less', async () => {
  const client = await opened(still())
  await client.write('a', { ...taken, waiting: ['z'], rest: '{}' })
  await client.write('long', { ...taken, endsAt: Infinity })
  await client.write('ended', { ...taken, endsAt: NOW })
  const names = ['a', 'long', 'ended', 'none']
  const answers = client.session.express?.renew(names.map((name) => ({ name, owner, leaseMs: 5_000 }))) ?? []
  expect(await Promise.all(answers)).toEqual([true, true, false, false])
  expect(await client.read('a')).toEqual({ ...taken, waiting: ['z'], rest: '{}', endsAt: NOW + 5_000 })
  expect((await client.read('long')).endsAt).toBe(Infinity)
  expect(await client.session.express?.renew([{ name: 'a', owner: 'y:1', leaseMs: 1 }])[0]).toBe(false)
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
    await client.write('a', taken)
    expect(await client.session.express?.free('a', owner)).toBe(true)
  }
  other.close()
})
