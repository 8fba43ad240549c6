/** What each kind refuses with a typed error, and that the server's keys are then what they were. */
import { afterEach, describe, expect, test } from 'vitest'
import { rejectionOf } from '../../src/conformance/outcome.js'
import { type RedisClient, StoreError } from '../../src/index.js'
import { placeOf } from '../setup/places.js'

const place = placeOf('standalone')

afterEach(() => place.tidy())

/** All keys of that name, with what is in them. */
async function keysOf(client: RedisClient, name: string): Promise<Record<string, string>> {
  const keys = await client.call('KEYS', `*${name}*`)
  const names = Array.isArray(keys) ? keys.map(String).sort() : []
  const dumps = names.map(async (key) => [key, String(await client.call('DUMP', key))] as const)
  return Object.fromEntries(await Promise.all(dumps))
}

async function expectUnchanged(name: string, refusals: () => Promise<void>): Promise<void> {
  const client = place.client()
  const before = await keysOf(client, name)
  await refusals()
  expect(await keysOf(client, name)).toEqual(before)
}

describe('a key of another type', () => {
  const strangers: ReadonlyArray<readonly [string, readonly string[]]> = [
    ['a text', ['SET', 'some text']],
    ['a list', ['RPUSH', 'an element']],
  ]
  const kinds = ['lock', 'fencedLock', 'fairLock', 'spinLock'] as const

  test.each(strangers)('under the lock’s name: %s', async (_, [command = '', value = '']) => {
    const [holdfast, client, name] = [place.holdfast(), place.client(), place.lockName()]
    await client.call(command, name, value)
    await expectUnchanged(name, async () => {
      for (const kind of kinds) await expectWrongType(holdfast[kind](name).acquire({ waitMs: 20_000 }), kind)
      const multi = holdfast.multiLock([holdfast.lock(name), holdfast.lock(`${name}:other`)])
      await expectWrongType(multi.acquire({ waitMs: 20_000 }), 'multi-lock')
    })
  })

  test('under the names of a lock’s line and a read-write lock’s state', async () => {
    const [holdfast, client, name] = [place.holdfast(), place.client(), place.lockName()]
    const blocker = await holdfast.lock(name).acquire()
    await client.call('SET', `holdfast_line:{${name}}`, 'some text')
    await client.call('SET', `holdfast_rw:{${name}}`, 'some text')
    await expectUnchanged(name, async () => {
      // They would have to stand in that line.
      await expectWrongType(holdfast.fairLock(name).acquire({ waitMs: 20_000 }), 'fair lock')
      await expectWrongType(place.holdfast().lock(name).acquire({ waitMs: 20_000 }), 'lock')
      // Whoever may wait there could not be told.
      await expectWrongType(blocker.release(), 'release')
      const both = holdfast.readWriteLock(name)
      await expectWrongType(both.readLock().acquire({ waitMs: 20_000 }), 'read lock')
      await expectWrongType(both.writeLock().acquire({ waitMs: 20_000 }), 'write lock')
    })
    expect(await holdfast.lock(name).isLocked()).toBe(true)
  })

  test('a lock under the name of a guarded value', async () => {
    const [holdfast, name] = [place.holdfast(), place.lockName()]
    const hold = await holdfast.lock(name).acquire()
    await expectUnchanged(name, async () => {
      await expect(holdfast.guardedValue(name).set('a value', 7n)).rejects.toBeInstanceOf(StoreError)
    })
    hold.assertHeld()
  })
})

async function expectWrongType(call: Promise<unknown>, what: string): Promise<void> {
  const error = await rejectionOf(call)
  expect(error, what).toBeInstanceOf(StoreError)
  expect(error, what).toMatchObject({ reason: 'wrong-type', transient: false })
}
