/** What others' errors did not say. */
import { afterEach, expect, inject, onTestFinished, test } from 'vitest'
import { Holdfast } from '../../src/index.js'
import { standaloneClient } from '../setup/clients.js'
import { placeOf } from '../setup/places.js'

const place = placeOf('standalone')

afterEach(() => place.tidy())

test('redisson#6759, #4708, #6071: everything is derived from one name: prefix, key and channel agree', async () => {
  const prefix = `${place.lockName()}:prefix:`
  const key = `${prefix}name`
  const plain = place.client()
  const prefixed = new Holdfast(standaloneClient({ ...inject('servers').standalone, keyPrefix: prefix }))
  onTestFinished(() => prefixed.close())
  // The same lock, named with the prefix by one and by the client's settings by the other.
  const [lock, far] = [prefixed.lock('name'), place.holdfast().lock(key)]
  const hold = await lock.acquire({ leaseMs: 600_000 })
  expect(await plain.call('HGET', key, hold.owner)).toBe('1')
  expect(await far.tryAcquire()).toBeNull()
  const waiting = far.acquire({ leaseMs: 600_000 })
  await place.eventually(() => lock.countWaitingClients())
  const channel = `redisson_lock__channel:{${key}}`
  expect(await plain.call('PUBSUB', 'NUMSUB', channel)).toEqual([channel, 1])
  await hold.release()
  const theirs = await waiting
  const back = lock.acquire()
  await place.eventually(() => far.countWaitingClients())
  await theirs.release()
  await (await back).release()
})
