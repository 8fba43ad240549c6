/** What each thing costs in requests on a server with sessions, whatever the server. */
import { describe, expect, test } from 'vitest'
import { duringEach } from '../setup/during.js'
import { Fleet, handleOf } from './fleet.js'

const fleet = duringEach(() => new Fleet())

/** A client that has begun its session, and what it sends from now on but to keep that alive. */
async function begun(options = {}) {
  const { holdfast, link } = fleet.client(options)
  await holdfast.lock('first').withLock(() => undefined)
  link.sent.length = 0
  return { holdfast, link, sent: () => link.sent.filter((what) => what !== 'keepAlive') }
}

describe('requests', () => {
  test.each(['lock', 'fairLock', 'fencedLock', 'spinLock', 'readLock', 'writeLock'] as const)(
    '%s: uncontended one to take, one to release; one for a single attempt that is refused',
    async (kind) => {
      const [{ holdfast, sent }, other] = [await begun(), await begun()]
      await handleOf(holdfast, kind).withLock(() => undefined)
      expect(sent()).toEqual(['stand', 'remove'])
      const outer = await handleOf(holdfast, kind === 'readLock' ? 'writeLock' : kind).acquire()
      expect(await handleOf(other.holdfast, kind).tryAcquire()).toBeNull()
      expect(other.sent()).toEqual(['stand'])
      await outer.release()
    },
  )

  test('a semaphore, uncontended: three to take a permit, one to give it back; one to find none', async () => {
    const { holdfast, link, sent } = await begun()
    const semaphore = holdfast.semaphore('semaphore')
    await semaphore.trySetPermits(1)
    link.sent.length = 0
    await semaphore.withPermits(() => undefined)
    expect(sent()).toEqual(['read cell', 'stand', 'read cell', 'remove'])
    const hold = await semaphore.acquire()
    link.sent.length = 0
    expect(await semaphore.tryAcquire()).toBeNull()
    expect(sent()).toEqual(['read cell'])
    await hold.release()
  })

  test('an attempt that is refused, after one whose answer was lost: a removal too, since that one may yet stand in line', async () => {
    const [{ holdfast: holder }, { holdfast, link, sent }] = [await begun(), await begun()]
    const hold = await holder.lock('lock').acquire()
    link.unanswered = 'stand'
    const attempt = holdfast.spinLock('lock').tryAcquire({ waitMs: 1_000 })
    await fleet.clock.advance(2_000)
    expect(await attempt).toBeNull()
    expect(sent().slice(0, 4)).toEqual(['stand', 'stand', 'remove', 'stand'])
    expect(sent().filter((what) => what === 'remove')).toEqual(['remove'])
    await hold.release()
  })

  test('a nested section: a look when it begins, and one when it ends', async () => {
    const { holdfast, sent } = await begun()
    const lock = holdfast.lock('lock')
    await lock.withLock(() => lock.withLock(() => undefined))
    expect(sent()).toEqual(['stand', 'read', 'read', 'remove'])
  })

  test('a lease of its own: one more', async () => {
    const { holdfast, sent } = await begun()
    await holdfast.lock('lock').withLock({ leaseMs: 3_000 }, () => undefined)
    expect(sent()).toEqual(['stand', 'lease', 'remove'])
  })

  test.each([1, 400])('hand-over in the process after sections of %i ms: none', async (sectionMs) => {
    const { holdfast, sent } = await begun({ handOverSliceMs: Number.POSITIVE_INFINITY })
    const lock = holdfast.lock('lock')
    let inside = 0
    const section = async (): Promise<void> => {
      inside += 1
      expect(inside).toBe(1)
      await fleet.pause(sectionMs)
      inside -= 1
    }
    const sections = Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map(() => lock.withLock(section)))
    await fleet.clock.advance(8 * sectionMs)
    await sections
    expect(sent()).toEqual(['stand', 'remove'])
  })

  test('hand-over to a section with a lease of its own, and back: one each', async () => {
    const { holdfast, sent } = await begun()
    const lock = holdfast.lock('lock')
    const sections = [undefined, 3_000, undefined].map((leaseMs) =>
      lock.withLock(leaseMs === undefined ? {} : { leaseMs }, () => undefined),
    )
    await Promise.all(sections)
    expect(sent()).toEqual(['stand', 'lease', 'lease', 'remove'])
  })

  test('a waiter: one to stand in line; when its turn comes none behind a holder, one look behind another waiter', async () => {
    const holder = await begun()
    const waiters = [await begun(), await begun(), await begun()]
    const hold = await holder.holdfast.lock('lock').acquire()
    const sections = []
    for (const { holdfast } of waiters) {
      sections.push(holdfast.lock('lock').withLock(() => undefined))
      await fleet.settled()
    }
    await hold.release()
    await Promise.all(sections)
    const [first, ...others] = waiters.map(({ sent }) => sent())
    expect(first).toEqual(['stand', 'remove'])
    for (const sent of others) expect(sent).toEqual(['stand', 'read', 'remove'])
  })

  test.each([2, 8, 32])(
    'faults B1: a permit that goes round among %i processes: four requests a section, however many wait',
    async (processes) => {
      const clients = await Promise.all(Array.from({ length: processes }, () => begun()))
      await clients[0]?.holdfast.semaphore('semaphore').trySetPermits(1)
      const turns: number[] = []
      const loops = clients.map(async ({ holdfast }, index) => {
        while (turns.length < 20 * processes)
          await holdfast.semaphore('semaphore').withPermits(async () => {
            turns.push(index)
            await fleet.pause(5)
          })
      })
      await fleet.clock.advance(5 * 22 * processes)
      await Promise.all(loops)
      expect(clients.flatMap((client) => client.sent()).length / turns.length).toBeLessThanOrEqual(4.5)
    },
  )

  test('a session is begun once, and kept alive by one request for all that it carries', async () => {
    const { holdfast, link } = await begun()
    for (let number = 0; number < 20; number += 1) await holdfast.lock(`lock ${number}`).acquire()
    await holdfast.semaphore('semaphore').trySetPermits(1)
    await holdfast.semaphore('semaphore').acquire()
    link.sent.length = 0
    await fleet.clock.advance(30_000)
    expect(new Set(link.sent)).toEqual(new Set(['keepAlive']))
    expect(link.sent.length).toBeLessThanOrEqual(11)
  })

  test('an idle client sends nothing', async () => {
    const { link } = await begun()
    await fleet.clock.advance(600_000)
    expect(link.sent).toEqual([])
  })
})
