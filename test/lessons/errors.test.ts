/** What others' errors did not say. */
import { afterEach, expect, inject, test } from 'vitest'
import { Holdfast } from '../../src/index.js'
import { standaloneClient } from '../setup/clients.js'
import { placeOf } from '../setup/places.js'

const place = placeOf('standalone')

afterEach(() => place.tidy())

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
