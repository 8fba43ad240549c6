import { expect, test } from 'vitest'
import type { Owner } from '../../src/base/identity/owner.js'
import { rejectionOf } from '../../src/conformance/outcome.js'
import { Holdfast, LockLostError, NotOwnerError } from '../../src/index.js'
import { MemoryStore, VirtualClock } from '../../src/stores/memory/index.js'

test('H30: holds that were left to their leases do not pile up; the latest, and those that stand, can be unlocked', async () => {
  const clock = new VirtualClock()
  const holdfast = new Holdfast(new MemoryStore(clock))
  const standing = holdfast.owner()
  await holdfast.lock('stands').lock({ owner: standing, leaseMs: 3_600_000 })
  const owners: Owner[] = []
  for (let round = 0; round < 50; round += 1) {
    for (let index = 0; index < 200; index += 1) {
      const owner = holdfast.owner()
      owners.push(owner)
      await holdfast.lock(`lock:${index}`).lock({ owner, leaseMs: 100 })
    }
    await clock.advance(200)
  }
  expect(holdfast.census.scopes).toBeLessThanOrEqual(2_200)
  const lock = holdfast.lock('lock:199')
  await expect(lock.unlock({ owner: owners.at(-1) ?? standing })).rejects.toBeInstanceOf(LockLostError)
  await expect(lock.unlock({ owner: owners[199] ?? standing })).rejects.toBeInstanceOf(NotOwnerError)
  await holdfast.lock('stands').unlock({ owner: standing })
  await holdfast.close()
})

test('H30: in one scope that goes on and on, too', async () => {
  const clock = new VirtualClock()
  const holdfast = new Holdfast(new MemoryStore(clock))
  await holdfast.run(async () => {
    for (let round = 0; round < 5_000; round += 1) {
      await holdfast.lock(`lock:${round}`).lock({ leaseMs: 100 })
      if (round % 500 === 0) await clock.advance(200)
    }
    await clock.advance(200)
    await expect(holdfast.lock('lock:4999').unlock()).rejects.toBeInstanceOf(LockLostError)
    const forgotten = await rejectionOf(holdfast.lock('lock:0').unlock())
    expect(forgotten).toBeInstanceOf(NotOwnerError)
    expect(forgotten).not.toBeInstanceOf(LockLostError)
  })
  await holdfast.close()
})
