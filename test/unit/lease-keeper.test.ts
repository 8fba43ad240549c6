import { beforeEach, describe, expect, test } from 'vitest'
import { leaseDeadline } from '../../src/core/lease/lease.js'
import { LeaseKeeper } from '../../src/core/lease/lease-keeper.js'
import { HoldRecord } from '../../src/core/tenure/tenure.js'
import { VirtualClock } from '../../src/memory/index.js'
import { callFrom, root } from './scenery.js'
import { ScriptedLocker } from './scripted-locker.js'
import { ScriptedPort, settle } from './scripted-port.js'

const LEASE_MS = 300
const ROUND_MS = 100

let clock: VirtualClock
let port: ScriptedPort
let scripted: ScriptedLocker
let keeper: LeaseKeeper

beforeEach(() => {
  clock = new VirtualClock()
  port = new ScriptedPort()
  scripted = new ScriptedLocker(port, clock, { quarantineMs: 50 })
  keeper = new LeaseKeeper(scripted.schedule, LEASE_MS)
})

/** A lock that was granted just now, with that lease. */
async function granted(name: string): Promise<HoldRecord> {
  const call = callFrom(root(scripted.owners.next()), { name, leaseMs: LEASE_MS })
  const outcome = scripted.locker.acquire(call)
  await scripted.answer(() => ({ outcome: 'granted' }))
  const grant = await outcome
  if (!(grant instanceof HoldRecord)) throw new Error('was to be granted')
  keeper.keep(scripted.locker.env, grant)
  return grant
}

async function answer(renewed: boolean): Promise<void> {
  for (const each of port.renewals.all.splice(0)) each.answer(renewed)
  await settle()
}

describe('LeaseKeeper', () => {
  test('starts each lease anew every third of it, the quarantine with it, and the deadline follows', async () => {
    const grants = [await granted('one'), await granted('two')]
    for (let round = 0; round < 5; round += 1) {
      const sentAt = clock.now() + ROUND_MS
      await clock.advance(ROUND_MS)
      expect(port.renewals.all.map(({ request }) => [request.name, request.leaseMs])).toEqual([
        ['one', LEASE_MS + 50],
        ['two', LEASE_MS + 50],
      ])
      await answer(true)
      for (const { tenure } of grants) expect(tenure.deadline).toBe(leaseDeadline(sentAt, LEASE_MS))
    }
    expect(scripted.lost).toEqual([])
  })

  test('L4: one that is answered "not yours" is lost at once, and the other is kept', async () => {
    const [gone, kept] = [await granted('gone'), await granted('kept')]
    await clock.advance(ROUND_MS)
    for (const { request, answer: tell } of port.renewals.all) tell(request.name === 'kept')
    await settle()
    expect(scripted.lost).toEqual(['gone'])
    expect([gone.tenure.state, kept.tenure.state]).toEqual(['over', 'held'])
    port.renewals.all.length = 0
    await clock.advance(ROUND_MS)
    expect(port.renewals.all.map(({ request }) => request.name)).toEqual(['kept'])
  })

  test('a failure leaves the lease as it is: it ends at its deadline, unless a later round succeeds', async () => {
    const grant = await granted('one')
    const { deadline } = grant.tenure
    await clock.advance(ROUND_MS)
    port.renewals.last.fail(new Error('on purpose'))
    await settle()
    expect([grant.tenure.state, grant.tenure.deadline]).toEqual(['held', deadline])
    await clock.advance(LEASE_MS)
    expect(scripted.lost).toEqual(['one'])
  })

  test('L3: an answer that comes after the deadline revives nothing', async () => {
    const grant = await granted('one')
    await clock.advance(ROUND_MS)
    clock.skip(LEASE_MS)
    port.renewals.last.answer(true)
    await settle()
    expect(grant.tenure.state).toBe('over')
    expect(scripted.lost).toEqual(['one'])
  })

  test('renew settles when all are answered, of whatever sort', async () => {
    await granted('one')
    await granted('two')
    let settled = false
    void keeper.renew().then(() => {
      settled = true
    })
    const [first, second] = port.renewals.all
    first?.answer(true)
    await settle()
    expect(settled).toBe(false)
    second?.fail(new Error('on purpose'))
    await settle()
    expect(settled).toBe(true)
  })

  test('stopped it keeps nothing', async () => {
    await granted('one')
    keeper.stop()
    await clock.advance(2 * LEASE_MS)
    expect(port.renewals.all).toEqual([])
    expect(scripted.lost).toEqual(['one'])
    expect(scripted.schedule.size).toBe(0)
  })
})
