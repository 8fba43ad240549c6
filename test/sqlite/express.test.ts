/** The short ways for a lock that nobody waits for: each does what a change would, or nothing. */
import { afterAll, afterEach, expect, test } from 'vitest'
import type { Machine } from '../../src/sqlite/machine.js'
import { blank, Stand, type TestClient } from './client.js'

const stand = new Stand()
afterEach(() => stand.tidy())
afterAll(() => stand.end())

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

const taken = { ...blank, owner, holds: 1, endsAt: NOW + 1_000 }

test('take: a lock that is free, or whose lease has ended, with a token or without', async () => {
  const client = await opened(still())
  const take = (name: string, fenced: boolean): Promise<bigint | undefined> | undefined =>
    client.session.express?.take({ name, owner, leaseMs: 1_000, fenced })
  expect(await take('plain', false)).toBe(0n)
  expect(await client.read('plain')).toEqual(taken)
  expect(await take('plain', false)).toBeUndefined()
  expect(await take('fenced', true)).toBe(BigInt(NOW) * 1_000n)
  await client.write('lapsed', { owner: 'y:1', holds: 3, endsAt: NOW, fence: 2n ** 60n })
  expect(await take('lapsed', true)).toBe(2n ** 60n + 1n)
  expect(await client.read('lapsed')).toEqual({ ...taken, fence: 2n ** 60n + 1n })
  await client.write('was fenced', { fence: 7n })
  expect(await take('was fenced', false)).toBe(7n)
  expect((await client.read('was fenced')).fence).toBe(7n)
})

test('take and free: not where somebody waits or there is more in the row', async () => {
  const client = await opened(still())
  for (const more of [{ waiting: ['z'] }, { rest: '{}' }]) {
    await client.write('a', { ...blank, ...more })
    const before = await client.read('a')
    expect(await client.session.express?.take({ name: 'a', owner, leaseMs: 1, fenced: true })).toBeUndefined()
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
  expect(await client.read('a')).toEqual({ ...blank, fence: 5n })
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
