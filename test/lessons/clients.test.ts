/** What others did with the client they were given, and what ioredis does by itself. */
import { afterEach, describe, expect, inject, test } from 'vitest'
import { journalOf } from '../../src/conformance/journal.js'
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
    const renewals = journalOf(holdfast, 'renewed')
    try {
      const hold = await holdfast.lock(name).acquire()
      expect(await other.lock(name).tryAcquire()).toBeNull()
      await place.eventually(() => renewals.length >= 4)
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
})
