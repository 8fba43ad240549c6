/** A key of another type is refused, and stays as it was. The lines' own keys: test/line/server.test.ts; read-write locks and values: theirs. */
import { afterEach, expect, test } from 'vitest'
import { rejectionOf } from '../../src/conformance/outcome.js'
import { placeOf } from '../setup/places.js'

const place = placeOf('standalone')

afterEach(() => place.tidy())

test.each([
  ['a text', 'SET', 'some text'],
  ['a list', 'RPUSH', 'an element'],
])('a key of another type under the lock’s name: %s', async (_, command, value) => {
  const [holdfast, client, name] = [place.holdfast(), place.client(), place.lockName()]
  const kept = async () => [await client.call('KEYS', `*${name}*`), await client.call('DUMP', name)]
  await client.call(command, name, value)
  const before = await kept()
  const refusal = { code: 'STORE_ERROR', reason: 'wrong-type', transient: false }
  const locks = (['lock', 'fencedLock', 'fairLock', 'spinLock'] as const).map((kind) => holdfast[kind](name))
  for (const each of [...locks, holdfast.multiLock([holdfast.lock(name), holdfast.lock(`${name}:other`)])])
    expect(await rejectionOf(each.acquire({ waitMs: 20_000 }))).toMatchObject(refusal)
  expect(await kept()).toEqual(before)
})
