import { beforeEach, describe, expect, test } from 'vitest'
import { LEAST_ANSWER_MS } from '../../src/core/acquire/wait-left.js'
import type { HoldRecord } from '../../src/core/tenure/tenure.js'
import { fairLock, lock, readLock } from '../../src/kinds/kinds.js'
import { AcquireAll, type AcquireAllRefusal, type Terms } from '../../src/kinds/several/acquire-all.js'
import type { AcquireRequest } from '../../src/port/lock-port.js'
import { VirtualClock } from '../../src/stores/memory/index.js'
import { later } from '../setup/later.js'
import { callFrom, root, within } from './scenery.js'
import { ScriptedLocker } from './scripted-locker.js'
import { ScriptedPort } from './scripted-port.js'

const NAMES = ['a', 'b', 'c']

let clock: VirtualClock
let port: ScriptedPort
let scripted: ScriptedLocker

beforeEach(() => {
  clock = new VirtualClock()
  port = new ScriptedPort(true)
  scripted = new ScriptedLocker(port, clock)
})

function assemble(terms: Partial<Terms> = {}): Promise<readonly HoldRecord[] | AcquireAllRefusal> {
  const { locker } = scripted
  const members = NAMES.map((name) => ({ name, locker, place: 0, polls: undefined }))
  const { name: _, ...call } = callFrom(root(scripted.owners.next()), terms)
  return new AcquireAll(members, call, () => clock.now()).run()
}

/** Grants what is asked for now. */
const answer = (): Promise<readonly AcquireRequest[]> => scripted.answer(() => ({ outcome: 'granted' }))

describe('AcquireAll', () => {
  test.each([
    ['is over', 500, 500],
    ['is over before a store can answer: then so long', 20, LEAST_ANSWER_MS],
  ])('W5: the leases are not begun when the wait %s: the call is refused', async (_, waitMs, endsAtMs) => {
    const outcome = assemble({ waitMs, leaseMs: 60_000 })
    for (const _ of NAMES) await answer()
    expect(port.renewals.all.map(({ request }) => request.name)).toEqual(NAMES)
    await clock.advance(endsAtMs - 1)
    expect(port.releases.all).toEqual([])
    await clock.advance(1)
    expect(await outcome).toMatchObject({
      waitedMs: endsAtMs,
      cause: { code: 'STORE_ERROR', reason: 'timeout' },
    })
    expect(await scripted.freeAll()).toEqual(NAMES)
    expect(scripted.locker.census).toMatchObject({ gates: 0, calls: 0, tenures: 0, orphans: 0 })
  })

  test('W5: the last lock came at the end of the wait: the leases have the time of an answer to begin', async () => {
    const outcome = assemble({ waitMs: 500, leaseMs: 60_000 })
    await answer()
    await answer()
    await clock.advance(499)
    await answer()
    await clock.advance(LEAST_ANSWER_MS - 1)
    for (const each of port.renewals.all.splice(0)) each.answer(true)
    expect(await outcome).toHaveLength(NAMES.length)
  })

  test('W4: an abort while the leases begin gives all back, and rejects with its reason', async () => {
    const aborting = new AbortController()
    const outcome = assemble({ signal: aborting.signal, leaseMs: 60_000 })
    const aborted = later(expect(outcome).rejects.toBe('over'))
    for (const _ of NAMES) await answer()
    await clock.advance(100)
    aborting.abort('over')
    await aborted
    expect(await scripted.freeAll()).toEqual(NAMES)
    expect(scripted.locker.census).toMatchObject({ gates: 0, calls: 0, tenures: 0, orphans: 0 })
  })

  test.each([
    ['drains', () => scripted.locker.lifetime.drain()],
    ['closes', () => scripted.locker.lifetime.close()],
  ])('H5: the client %s while the leases begin: it ends at once, and gives all back', async (_, end) => {
    const outcome = assemble({ leaseMs: 60_000 })
    const closed = later(expect(outcome).rejects.toMatchObject({ code: 'CLOSED', lockName: 'a' }))
    for (const _ of NAMES) await answer()
    const ended = end()
    await closed
    expect(await scripted.freeAll()).toEqual(NAMES)
    await ended
    expect(scripted.locker.census).toMatchObject({ gates: 0, calls: 0, tenures: 0, orphans: 0 })
  })

  test.each([lock, fairLock, readLock])(
    'W2: one was lost meanwhile: what waits for the release of the others is woken by it ($name)',
    async (kind) => {
      scripted = new ScriptedLocker(port, clock, {}, kind)
      const caller = root(scripted.owners.next())
      // As for a section that opens a scope of its own.
      const outcome = assemble({ caller, holder: within(caller), unrelated: true })
      await answer()
      const [taken] = await answer()
      if (!taken) throw new Error('b was asked for')
      const { keyspace } = kind
      scripted.locker.tenures.lostInStore({ keyspace, name: 'b', owner: taken.owner, reason: 'not-in-store' })
      await answer()
      expect(await scripted.freeAll()).toEqual(['a', 'c'])
      for (const _ of NAMES) await answer()
      expect(await outcome).toHaveLength(NAMES.length)
    },
  )
})
