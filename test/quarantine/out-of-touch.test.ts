/** A holder that lives and has lost touch with the store: the case the quarantine is for. */
import { describe, expect, test } from 'vitest'
import { journalOf } from '../../src/conformance/journal.js'
import { Scene } from '../fault/scene.js'
import { duringEach } from '../setup/during.js'
import { eventually } from '../setup/eventually.js'
import { subjects } from './subjects.js'

const QUARANTINE_MS = 60_000
const WATCHDOG_MS = 1_500

describe.each(['standalone', 'cluster'] as const)('out of touch (%s)', (where) => {
  const scene = duringEach(() => Scene[where]())

  test.each(subjects)(
    '$kind: lost for its holder at the end of the lease, kept from others',
    async (subject) => {
      const direct = scene.holdfast({}, { proxied: false })
      const times = { quarantineMs: QUARANTINE_MS, watchdogMs: WATCHDOG_MS, commandTimeoutMs: 300 }
      const holdfast = scene.holdfast(times)
      const [renewed, lost] = [journalOf(holdfast, 'renewed'), journalOf(holdfast, 'lost')]
      const hold = await subject.holder(holdfast, scene.name).acquire()
      await eventually(() => renewed.length > 0)
      for (const proxy of scene.proxies) {
        proxy.refuse()
        proxy.breakAll()
      }
      await eventually(() => lost.length > 0)
      expect(lost[0]).toMatchObject({ reason: 'lease-expired' })
      expect(() => hold.assertHeld()).toThrow()
      const contender = subject.contender(direct, scene.name)
      expect(await contender.tryAcquire()).toBeNull()
      const left = await subject.remainingMs(direct, scene.name)
      expect(left).toBeGreaterThan(QUARANTINE_MS / 2)
      expect(left).toBeLessThanOrEqual(QUARANTINE_MS + WATCHDOG_MS)
      // Back in touch it still is no holder, and takes nothing of the quarantine away.
      for (const proxy of scene.proxies) proxy.heal()
      await expect(hold.release()).rejects.toMatchObject({ code: 'LOCK_LOST' })
      expect(await contender.tryAcquire()).toBeNull()
      if (subject.permits) return
      await subject.forceUnlock(direct, scene.name)
      await (await contender.acquire()).release()
    },
  )
})

describe('what it costs', () => {
  const scene = duringEach(() => Scene.standalone())

  test.each(subjects)('$kind: no command, be it 0 or not', async (subject) => {
    const costs: Array<readonly string[]> = []
    for (const quarantineMs of [0, QUARANTINE_MS]) {
      const handle = subject.holder(scene.holdfast({ quarantineMs }), scene.name)
      await (await handle.acquire()).release()
      const tally = scene.proxy.tally()
      await (await handle.acquire()).release()
      await (await handle.acquire({ leaseMs: 10_000 })).release()
      costs.push(tally.labels)
    }
    const [without, under] = costs
    expect(without?.length).toBeGreaterThanOrEqual(4)
    expect(under).toEqual(without)
  })

  test('renewals in a thread of its own keep it, however long the lock is held', async () => {
    const [quarantineMs, watchdogMs] = [2_000, 1_800]
    const holdfast = scene.holdfast({ quarantineMs, watchdogMs, watchdogThread: true }, { proxied: false })
    const renewed = journalOf(holdfast, 'renewed')
    const hold = await holdfast.lock(scene.name).acquire()
    // By then nothing is left of what the acquire had asked for but what each renewal has.
    await eventually(() => renewed.length > ((quarantineMs + watchdogMs) * 3) / watchdogMs)
    expect(await scene.ttl()).toBeGreaterThan(watchdogMs)
    await hold.release()
    expect(await scene.ttl()).toBe(-2)
  })

  test('what is handed on within the process keeps it, and so does a lease of the heir’s own', async () => {
    const endless = Number.POSITIVE_INFINITY
    const holdfast = scene.holdfast({ quarantineMs: QUARANTINE_MS, handOverSliceMs: endless })
    for (const lock of [holdfast.lock(scene.name), holdfast.fencedLock(scene.name)]) {
      const first = await lock.acquire({ leaseMs: 10_000 })
      const waits = [lock.acquire({ leaseMs: 5_000 }), lock.acquire()]
      await eventually(async () => (await lock.countWaitingClients()) === 1)
      await first.release()
      for (const wait of waits) {
        const hold = await wait
        expect(await scene.ttl()).toBeGreaterThan(QUARANTINE_MS)
        await hold.release()
      }
      expect(await scene.ttl()).toBe(-2)
    }
  })
})
