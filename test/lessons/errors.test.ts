/** What others' errors did not say. */
import { afterEach, expect, inject, test } from 'vitest'
import { Holdfast, InvalidArgumentError, LockTimeoutError, StoreError } from '../../src/index.js'
import { standaloneClient } from '../setup/clients.js'
import { placeOf } from '../setup/places.js'

const place = placeOf('standalone')

afterEach(() => place.tidy())

test('node-redlock#168, sesamecare#6: held is told from everything else, with the holder and the time it has left', async () => {
  const name = place.lockName()
  const hold = await place.holdfast().lock(name).acquire({ leaseMs: 30_000 })
  const refused = place.holdfast().lock(name).acquire({ waitMs: 50 })
  await expect(refused).rejects.toSatisfy(
    (error) =>
      error instanceof LockTimeoutError &&
      error.code === 'LOCK_TIMEOUT' &&
      error.holder === hold.owner &&
      error.cause === undefined &&
      /\d+ ms of its lease left/.test(error.message),
  )
  await hold.release()
})

test('node-redlock#282: a client that is none is refused when it is handed in', () => {
  for (const wrong of [undefined, null, {}, 'redis://localhost', 6379, [place.client()]]) {
    // @ts-expect-error: what a program in JavaScript may do
    expect(() => new Holdfast(wrong)).toThrow(InvalidArgumentError)
  }
})

test('node-redlock#288, #284, #38, redisson#4023: a key of another type is told as that, and left alone', async () => {
  const name = place.lockName()
  const client = place.client()
  await client.call('SET', name, 'data')
  const holdfast = place.holdfast()
  const lock = holdfast.lock(name)
  for (const call of [() => lock.acquire(), () => lock.tryAcquire(), () => lock.forceUnlock()]) {
    await expect(call()).rejects.toSatisfy(
      (error) => error instanceof StoreError && error.reason === 'wrong-type' && error.lockName === name,
    )
  }
  expect(await client.call('GET', name)).toBe('data')
  expect(holdfast.census).toMatchObject({ gates: 0, calls: 0, tenures: 0, watched: 0, orphans: 0 })
  await client.call('DEL', name)
  await lock.withLock(() => undefined)
})

test('redisson#6759, #4708, #6071: everything is derived from one name: prefix, key and channel agree', async () => {
  const prefix = `${place.lockName()}:prefix:`
  const plain = place.client()
  const prefixed = new Holdfast(standaloneClient({ ...inject('servers').standalone, keyPrefix: prefix }))
  const bystander = place.holdfast()
  try {
    // The same lock, named with the prefix by one and by the client's settings by the other.
    const hold = await prefixed.lock('name').acquire({ leaseMs: 600_000 })
    expect(await plain.call('HGET', `${prefix}name`, hold.owner)).toBe('1')
    expect(await bystander.lock(`${prefix}name`).tryAcquire()).toBeNull()
    const waiting = bystander.lock(`${prefix}name`).acquire({ leaseMs: 600_000 })
    await place.eventually(() => prefixed.lock('name').countWaitingClients())
    expect(await plain.call('PUBSUB', 'NUMSUB', `redisson_lock__channel:{${prefix}name}`)).toEqual([
      `redisson_lock__channel:{${prefix}name}`,
      1,
    ])
    await hold.release()
    const theirs = await waiting
    const back = prefixed.lock('name').acquire()
    await place.eventually(() => bystander.lock(`${prefix}name`).countWaitingClients())
    await theirs.release()
    await (await back).release()
  } finally {
    await prefixed.close()
  }
})
