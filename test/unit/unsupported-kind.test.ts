import { expect, test } from 'vitest'
import { Holdfast, quorum } from '../../src/index.js'
import { MemoryStore } from '../../src/stores/memory/index.js'

test('a kind that the store does not keep is refused at once, and the error says what it keeps', async () => {
  await using holdfast = new Holdfast(quorum([new MemoryStore(), new MemoryStore(), new MemoryStore()]))
  const refused = { code: 'UNSUPPORTED_KIND', kept: ['lock'] }
  const asks: Readonly<Record<string, () => unknown>> = {
    'fenced lock': () => holdfast.fencedLock('a'),
    'fair lock': () => holdfast.fairLock('a'),
    'spin lock': () => holdfast.spinLock('a'),
    'read lock': () => holdfast.readWriteLock('a'),
    semaphore: () => holdfast.semaphore('a'),
    'permit-expirable semaphore': () => holdfast.permitExpirableSemaphore('a'),
    'count-down latch': () => holdfast.countDownLatch('a'),
    'guarded value': () => holdfast.guardedValue('a'),
  }
  for (const [wanted, ask] of Object.entries(asks)) {
    expect(ask).toThrow(expect.objectContaining({ ...refused, wanted }))
    expect(ask).toThrow(`This store keeps no ${wanted}. It keeps: lock.`)
  }
  await expect(holdfast.computeOnce('a', () => 1, { ttlMs: 1_000 })).rejects.toMatchObject(refused)
})
