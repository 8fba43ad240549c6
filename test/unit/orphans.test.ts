import { beforeEach, describe, expect, test } from 'vitest'
import { Orphans } from '../../src/core/tenure/orphans.js'
import { StoreError } from '../../src/errors/errors.js'
import { VirtualClock } from '../../src/memory/index.js'
import type { AcquireReply, AcquireRequest } from '../../src/ports/lock-port.js'
import { Schedule } from '../../src/time/schedule.js'
import { ScriptedPort, settle } from './scripted-port.js'
import { servicesOn } from './services.js'

const request: AcquireRequest = { name: 'lock', owner: 'client:1', heldBefore: 0, leaseMs: 1_000 }
const passing = new StoreError('unreachable', 'acquire', { transient: true })
const full = new StoreError('out-of-memory', 'acquire', { transient: false })
const final = new StoreError('permission', 'acquire', { transient: false })

let clock: VirtualClock
let port: ScriptedPort
let errors: unknown[]
let orphans: Orphans

beforeEach(() => {
  clock = new VirtualClock()
  port = new ScriptedPort()
  errors = []
  const schedule = new Schedule(clock, (error) => errors.push(error))
  orphans = new Orphans(servicesOn(port, schedule, (_event, ...[payload]) => errors.push(payload)))
})

describe('Orphans', () => {
  test('W4: a grant that arrives after its waiter left is given back, when it arrives', async () => {
    const sent = port.acquire(request)
    void orphans.begin(request, sent)
    await settle()
    expect(port.abandons.all).toHaveLength(0)
    port.acquires.last.answer({ outcome: 'granted' })
    await settle()
    expect(port.abandons.last.request).toBe(request)
    expect(orphans.size).toBe(1)
    port.abandons.last.answer()
    await settle()
    expect(orphans.size).toBe(0)
  })

  test.each<AcquireReply>([{ outcome: 'busy', remainingMs: 5, holder: undefined }, { outcome: 'lost' }])(
    'what was not granted ($outcome) needs no giving back',
    async (reply) => {
      void orphans.begin(request, Promise.resolve(reply))
      await settle()
      expect(port.abandons.all).toHaveLength(0)
      expect(orphans.size).toBe(0)
    },
  )

  test('H15: in a line, busy is a place, which is left', async () => {
    const waits = { ...request, waits: true }
    port.line = { placeMs: 30_000, hears: () => false }
    void orphans.begin(waits, Promise.resolve({ outcome: 'busy', remainingMs: 5, holder: undefined }))
    await settle()
    expect(port.abandons.last.request).toBe(waits)
    port.abandons.last.answer()
    await settle()
    expect(orphans.size).toBe(0)
  })

  test('X1: an acquire of unknown outcome is given back; one that was refused for good is not', async () => {
    void orphans.begin(request, Promise.reject(passing))
    await settle()
    expect(port.abandons.all).toHaveLength(1)
    port.abandons.last.answer()
    for (const refused of [final, full]) {
      void orphans.begin(request, Promise.reject(refused))
      await settle()
      expect(port.abandons.all).toHaveLength(1)
      expect(orphans.size).toBe(0)
    }
  })

  test('W4: what is not undone for want of room is undone when there is room', async () => {
    void orphans.begin(request, Promise.resolve({ outcome: 'granted' }))
    await settle()
    port.abandons.last.fail(full)
    await clock.advance(500)
    expect(port.abandons.all).toHaveLength(2)
    port.abandons.last.answer()
    await settle()
    expect(orphans.size).toBe(0)
    expect(errors).toEqual([])
  })

  test('an undoing that is refused for good for another reason is not tried again, and told', async () => {
    void orphans.begin(request, Promise.resolve({ outcome: 'granted' }))
    await settle()
    port.abandons.last.fail(final)
    await clock.advance(500)
    expect(port.abandons.all).toHaveLength(1)
    expect(orphans.size).toBe(0)
    expect(errors).toEqual([final])
  })

  test.each([
    { known: 'granted', sent: () => Promise.resolve<AcquireReply>({ outcome: 'granted' }), told: [passing] },
    { known: 'perhaps never held', sent: () => Promise.reject(passing), told: [] },
  ])(
    'it tries for as long as the stray could live; that it gave up is told if it was held ($known)',
    async ({ sent, told }) => {
      void orphans.begin(request, sent())
      await settle()
      for (let tries = 1; orphans.size > 0 && tries < 100; tries += 1) {
        expect(port.abandons.all).toHaveLength(tries)
        port.abandons.last.fail(passing)
        await clock.advance(500)
      }
      expect(orphans.size).toBe(0)
      expect(clock.now()).toBeGreaterThanOrEqual(request.leaseMs)
      expect(clock.now()).toBeLessThan(request.leaseMs + 1_000)
      expect(errors).toEqual(told)
    },
  )

  test('H3: an owner of whom a copy may be on its way is astray until none can come any more', async () => {
    expect(orphans.mayLive(request.name, request.owner)).toBe(false)
    void orphans.begin(request, Promise.reject(passing))
    expect(orphans.mayLive(request.name, request.owner)).toBe(true)
    expect(orphans.mayLive(request.name, 'client:2')).toBe(false)
    await settle()
    port.abandons.last.answer()
    await settle()
    expect(orphans.size).toBe(0)
    expect(orphans.mayLive(request.name, request.owner)).toBe(true)
    clock.skip(3_600_000)
    expect(orphans.mayLive(request.name, request.owner)).toBe(false)
  })

  test('what was asked once, and undone once, is not astray any more', async () => {
    void orphans.begin(request, Promise.resolve({ outcome: 'granted' }))
    expect(orphans.mayLive(request.name, request.owner)).toBe(true)
    await settle()
    port.abandons.last.answer()
    await settle()
    expect(orphans.mayLive(request.name, request.owner)).toBe(false)
  })

  test('what is to be undone is asked each time', async () => {
    let heldBefore = 1
    void orphans.begin({ ...request, heldBefore }, Promise.reject(passing), () => ({
      ...request,
      heldBefore,
    }))
    await settle()
    heldBefore = 2
    port.abandons.last.fail(passing)
    await clock.advance(500)
    expect(port.abandons.all.map((each) => each.request.heldBefore)).toEqual([1, 2])
    port.abandons.last.answer()
    await settle()
  })

  test('two orphans of one owner are settled one after the other', async () => {
    void orphans.begin({ ...request, heldBefore: 1 }, Promise.reject(passing))
    void orphans.begin(request, Promise.reject(passing))
    await settle()
    expect(port.abandons.all.map((each) => each.request.heldBefore)).toEqual([1])
    port.abandons.last.answer()
    await settle()
    expect(port.abandons.all.map((each) => each.request.heldBefore)).toEqual([1, 0])
    port.abandons.last.answer()
    await settle()
    expect(orphans.size).toBe(0)
  })

  test('close: a pause between two tries is cut short, and the store that does not answer holds it up for a few tries only', async () => {
    void orphans.begin({ ...request, leaseMs: 3_600_000 }, Promise.reject(passing))
    await settle()
    port.abandons.last.fail(passing)
    await settle()
    let closed = false
    const closing = orphans.close().then(() => {
      closed = true
    })
    for (let tries = 0; !closed && tries < 20; tries += 1) {
      await clock.advance(500)
      port.abandons.last.fail(passing)
      await settle()
    }
    await closing
    expect(clock.now()).toBeLessThan(10_000)
    expect(orphans.size).toBe(0)
  })
})
