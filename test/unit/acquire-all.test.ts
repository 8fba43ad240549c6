import { beforeEach, describe, expect, test } from 'vitest'
import { AcquireAll, type AcquireAllRefusal, type Terms } from '../../src/core/acquire/acquire-all.js'
import { LEAST_ANSWER_MS } from '../../src/core/acquire/wait-left.js'
import type { HoldRecord } from '../../src/core/tenure/tenure.js'
import { VirtualClock } from '../../src/memory/index.js'
import type { AcquireReply } from '../../src/ports/lock-port.js'
import { later } from '../setup/later.js'
import { callFrom, root } from './scenery.js'
import { ScriptedLocker } from './scripted-locker.js'
import { ScriptedPort, settle } from './scripted-port.js'

const BUSY: AcquireReply = { outcome: 'busy', remainingMs: 60_000, holder: 'other:1' }
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

/** Answers what is asked for now: busy for those names, granted for the others. */
async function answer(...busy: readonly string[]): Promise<readonly string[]> {
  const asked = await scripted.answer(({ name }) => (busy.includes(name) ? BUSY : { outcome: 'granted' }))
  return asked.map(({ name }) => name)
}

describe('AcquireAll', () => {
  test('takes one after the other in the order it is given, for one owner', async () => {
    const outcome = assemble()
    for (const name of NAMES) expect(await answer()).toEqual([name])
    const grants = await outcome
    if ('name' in grants) return expect.unreachable()
    expect(grants.map(({ tenure }) => tenure.name)).toEqual(NAMES)
    expect(new Set(grants.map(({ tenure }) => tenure.owner)).size).toBe(1)
  })

  test('W4: a single attempt: the first refusal ends it, says which, and gives back what was taken', async () => {
    const outcome = assemble({ waitMs: 0 })
    await answer('c')
    await answer('c')
    await answer('c')
    expect(await outcome).toMatchObject({ name: 'c', holder: 'other:1' })
    expect(await scripted.freeAll()).toEqual(['a', 'b'])
    expect(scripted.locker.census).toMatchObject({ gates: 0, calls: 0, tenures: 0, orphans: 0 })
  })

  test('W5: a wait that ends: the same, at its end and not later', async () => {
    const outcome = assemble({ waitMs: 500 })
    await answer('b')
    await answer('b')
    // Once more, with the watch in force.
    expect(await answer('b')).toEqual(['b'])
    await clock.advance(499)
    expect(port.releases.all).toEqual([])
    await clock.advance(1)
    expect(await outcome).toMatchObject({ name: 'b', waitedMs: 500 })
    expect(await scripted.freeAll()).toEqual(['a'])
  })

  test('W4: an abort and a failure give back what was taken, and reject with their reason', async () => {
    const aborting = new AbortController()
    const outcome = assemble({ signal: aborting.signal })
    await answer('b')
    await answer('b')
    const aborted = later(expect(outcome).rejects.toBe('over'))
    aborting.abort('over')
    await aborted
    await answer('b')
    expect(await scripted.freeAll()).toContain('a')
    const failing = assemble()
    await answer()
    await settle()
    const failure = new Error('on purpose')
    const failed = later(expect(failing).rejects.toBe(failure))
    port.acquires.last.fail(failure)
    await failed
    expect(await scripted.freeAll()).toContain('a')
  })

  test('L1: a lease begins when all are held; until then the first ones are kept from ending', async () => {
    const leaseMs = 300
    const outcome = assemble({ leaseMs })
    await answer('b')
    await answer('b')
    await answer('b')
    for (let round = 0; round < 9; round += 1) {
      await clock.advance(leaseMs / 3)
      expect(port.renewals.all.map(({ request }) => request.name)).toEqual(['a'])
      for (const each of port.renewals.all.splice(0)) each.answer(true)
      await settle()
    }
    expect(scripted.lost).toEqual([])
    port.watches.all.at(-1)?.request.onNews()
    expect(await answer()).toEqual(['b'])
    expect(await answer()).toEqual(['c'])
    for (const each of port.renewals.all.splice(0)) each.answer(true)
    const grants = await outcome
    if ('name' in grants) return expect.unreachable()
    const deadlines = grants.map(({ tenure }) => tenure.deadline - clock.now())
    for (const left of deadlines) expect(left).toBeGreaterThan(leaseMs * 0.95)
  })

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

  test('one that is lost meanwhile is not taken again behind the others: all begin anew', async () => {
    const outcome = assemble()
    await answer('b')
    await answer('b')
    const forced = scripted.locker.forceUnlock('a')
    port.forces.last.answer(true)
    await forced
    expect(scripted.lost).toEqual(['a'])
    port.watches.all.at(-1)?.request.onNews()
    expect(await answer()).toEqual(['b'])
    expect(await answer()).toEqual(['c'])
    // What was taken is given back before anything is asked for again.
    expect(await scripted.freeAll()).toEqual(['b', 'c'])
    for (const name of NAMES) expect(await answer()).toEqual([name])
    const grants = await outcome
    expect('name' in grants).toBe(false)
  })

  test.each([
    ['drains', () => scripted.locker.drain()],
    ['closes', () => scripted.locker.close()],
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

  test('a close ends it with its error', async () => {
    const outcome = assemble()
    await answer('b')
    const closed = later(expect(outcome).rejects.toMatchObject({ code: 'CLOSED' }))
    const closing = scripted.locker.close()
    await answer('b')
    await scripted.freeAll()
    await closed
    await scripted.freeAll()
    await closing
  })
})
