/** What a client believes of the grants it is told of: never that a lease lasts longer than it does. */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ClientLine, type ToldGrant } from '../../src/stores/line/client-line.js'
import type { Place } from '../../src/stores/line/place.js'

const me: Place = 'w:client:1'
const grantAt = (serverUs: number, place = me): ToldGrant => ({ place, serverUs, leaseMs: 5_000, fence: 7n })
const delay = fc.double({ min: 0, max: 5_000, noNaN: true })

describe('since when the lock is one’s own', () => {
  test('never later than it was, whatever the clocks say, and however slow the messages are', () => {
    fc.assert(
      fc.property(
        fc.record({
          rate: fc.double({ min: 0.995, max: 1.005, noNaN: true }),
          offset: fc.double({ min: -1e9, max: 1e12, noNaN: true }),
          sent: delay,
          read: delay,
          granted: delay,
          told: delay,
          looks: fc.array(fc.record({ sent: delay, read: delay }), { maxLength: 4 }),
          leaseMs: fc.integer({ min: 50, max: 5_000 }),
        }),
        ({ rate, offset, sent, read, granted, told, looks, leaseMs }) => {
          const serverAt = (local: number): number => Math.floor((offset + local * rate) * 1_000)
          const line = new ClientLine()
          line.join(me)
          line.heard(sent, serverAt(sent + read), me)
          const grantedAt = sent + read + granted
          for (const look of looks) line.heard(look.sent, serverAt(look.sent + look.read))
          line.granted({ ...grantAt(serverAt(grantedAt)), leaseMs })
          const now = grantedAt + told
          const believed = line.takeGrant(me, now)?.granted
          if (!believed) return
          expect(believed.since).toBeLessThanOrEqual(grantedAt)
          expect(believed.since).toBeLessThanOrEqual(now)
          expect(believed.since + believed.leaseMs).toBeGreaterThan(now)
        },
      ),
      { numRuns: 500 },
    )
  })

  test('a message that tells of an earlier place of the same owner is not believed', () => {
    const line = new ClientLine()
    line.join(me)
    line.heard(0, 1_000, me)
    line.leave(me)
    line.join(me)
    line.heard(10, 1_010, me)
    for (const serverUs of [1_005, 1_010]) line.granted(grantAt(serverUs))
    expect(line.takeGrant(me, 11)).toBeUndefined()
    line.granted(grantAt(1_011))
    expect(line.takeGrant(me, 12)).toMatchObject({ granted: { leaseMs: 5_000 }, fence: 7n })
    expect(line.takeGrant(me, 12)).toBeUndefined()
  })

  test('one from before the place was seen last is over, whichever is heard first', () => {
    const line = new ClientLine()
    line.join(me)
    line.heard(0, 1_000, me)
    line.granted(grantAt(2_000))
    expect(line.size).toBe(0)
    line.heard(2, 3_000, me)
    expect(line.size).toBe(1)
    expect(line.takeGrant(me, 3)).toBeUndefined()
    line.granted(grantAt(2_500))
    expect(line.takeGrant(me, 3)).toBeUndefined()
  })

  test('one with half its lease gone is confirmed by a command instead', () => {
    const line = new ClientLine()
    line.join(me)
    line.heard(0, 0, me)
    line.granted(grantAt(1))
    expect(line.takeGrant(me, 2_500)).toBeUndefined()
  })

  test('before the server has answered nothing is believed, and no place’s grant but its own', () => {
    const line = new ClientLine()
    line.join(me)
    line.granted(grantAt(5))
    line.heard(0, 0, me)
    line.granted(grantAt(5, 'r:client:1'))
    expect(line.takeGrant(me, 1)).toBeUndefined()
    expect(line.takeGrant('r:client:1', 1)).toBeUndefined()
    line.leave(me)
    expect(line.has(me)).toBe(false)
  })
})
