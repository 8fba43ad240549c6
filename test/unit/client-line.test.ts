/** What a client believes of the grants it is told of: never that a lease lasts longer than it does. */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Owner } from '../../src/owner.js'
import { ClientLine } from '../../src/redis/line/client-line.js'
import { grantIn } from '../../src/redis/line/grant-message.js'

const me: Owner = 'client:1'
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
          keptUp: fc.array(fc.record({ sent: delay, read: delay }), { maxLength: 4 }),
          leaseMs: fc.integer({ min: 50, max: 5_000 }),
        }),
        ({ rate, offset, sent, read, granted, told, keptUp, leaseMs }) => {
          const serverAt = (local: number): number => Math.floor(offset + local * rate)
          const line = new ClientLine()
          line.join(me)
          line.heard(sent, serverAt(sent + read), me)
          const grantedAt = sent + read + granted
          for (const look of keptUp) line.heard(look.sent, serverAt(look.sent + look.read))
          line.granted({ owner: me, serverMs: serverAt(grantedAt), leaseMs })
          const now = grantedAt + told
          const believed = line.takeGrant(me, now)
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
    for (const serverMs of [1_005, 1_010]) line.granted({ owner: me, serverMs, leaseMs: 5_000 })
    expect(line.takeGrant(me, 11)).toBeUndefined()
    line.granted({ owner: me, serverMs: 1_011, leaseMs: 5_000 })
    expect(line.takeGrant(me, 12)).toMatchObject({ leaseMs: 5_000 })
  })

  test('before the server has answered nothing is believed, and nobody’s grant but one’s own', () => {
    const line = new ClientLine()
    line.join(me)
    line.granted({ owner: me, serverMs: 5, leaseMs: 5_000 })
    line.heard(0, 0, me)
    line.granted({ owner: 'client:2', serverMs: 5, leaseMs: 5_000 })
    expect(line.takeGrant(me, 1)).toBeUndefined()
    expect(line.takeGrant('client:2', 1)).toBeUndefined()
    line.leave(me)
    expect(line.empty).toBe(true)
  })
})

test('only what the scripts publish is a grant', () => {
  expect(grantIn('client:1 1700000000000 5000')).toEqual({ owner: me, serverMs: 1.7e12, leaseMs: 5_000 })
  for (const text of [
    '',
    '0',
    'client:1',
    'client:1 5',
    'client:1 x 5',
    'client:1 5 0',
    'client 5 5',
    'client:1 5 5 5',
  ])
    expect(grantIn(text)).toBeUndefined()
})
