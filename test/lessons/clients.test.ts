/** What others did with the client they were given, and what ioredis does by itself. */
import { afterEach, describe, expect, inject, test } from 'vitest'
import { Holdfast } from '../../src/index.js'
import { clientLibraries, standaloneClient } from '../setup/clients.js'
import { placeOf } from '../setup/places.js'

const place = placeOf('standalone')

afterEach(() => place.tidy())

describe.each(clientLibraries)('%s', (library) => {
  test('node-redlock#160, #310, #277, redis-semaphore#25: excludes, waits, wakes and renews', async () => {
    const name = place.lockName()
    const client = standaloneClient({ ...inject('servers').standalone }, library)
    const holdfast = new Holdfast(client, { watchdogMs: place.lease(1_200) })
    const other = place.holdfast()
    try {
      let renewals = 0
      holdfast.on('renewed', () => {
        renewals += 1
      })
      const hold = await holdfast.lock(name).acquire()
      expect(await other.lock(name).tryAcquire()).toBeNull()
      await place.eventually(() => renewals >= 4)
      hold.assertHeld()
      const theirs = other.lock(name).acquire({ leaseMs: 600_000 })
      await place.eventually(() => other.lock(name).countWaitingClients())
      await hold.release()
      const mine = holdfast.lock(name).withLock((back) => back.name)
      await place.eventually(() => other.lock(name).countWaitingClients())
      await (await theirs).release()
      expect(await mine).toBe(name)
    } finally {
      await holdfast.close()
      client.disconnect()
    }
  })

  test('ioredis: a connection shared with the application is not used: a BLPOP delays no renewal', async () => {
    const name = place.lockName()
    const client = standaloneClient({ ...inject('servers').standalone }, library)
    const holdfast = new Holdfast(client, { watchdogMs: place.lease(1_500) })
    const told: string[] = []
    holdfast.on('lost', () => told.push('lost'))
    holdfast.on('suspended', () => told.push('suspended'))
    let renewals = 0
    holdfast.on('renewed', () => {
      renewals += 1
    })
    try {
      const popping = client.call('BLPOP', `${name}:never`, 0).catch(() => undefined)
      const hold = await holdfast.lock(name).acquire()
      await place.eventually(() => renewals >= 5)
      hold.assertHeld()
      await hold.release()
      expect(told).toEqual([])
      // The application's connection is as it was.
      expect(client.status).toBe('ready')
      client.disconnect()
      await popping
    } finally {
      await holdfast.close()
      client.disconnect()
    }
  })

  test("node-redlock#107, #195, sesamecare PR#10: the client's db and keyPrefix are honoured", async () => {
    const name = place.lockName()
    const { standalone } = inject('servers')
    const client = standaloneClient({ ...standalone, db: 3, keyPrefix: 'locks:' }, library)
    const bystander = standaloneClient({ ...standalone, db: 3 }, library)
    const holdfast = new Holdfast(client)
    try {
      const hold = await holdfast.lock(name).acquire()
      expect(await bystander.call('HGET', `locks:${name}`, hold.owner)).toBe('1')
      expect(await place.client().call('EXISTS', `locks:${name}`)).toBe(0)
      expect(await place.client().call('EXISTS', name)).toBe(0)
      await hold.release()
      expect(await bystander.call('EXISTS', `locks:${name}`)).toBe(0)
    } finally {
      await holdfast.close()
      client.disconnect()
      bystander.disconnect()
    }
  })
})
