/** How many permits are free on a store with sessions: what its cell says less what those in line have, whatever becomes of their owners. */
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { keyOf } from '../../src/stores/session/key.js'
import { duringEach } from '../setup/during.js'
import { Fleet } from './fleet.js'

const lock = { keyspace: 'semaphore', name: 'permits' } as const
const fleet = duringEach(() => new Fleet())

/** Another process, whose entries come and go as the test says. */
function other() {
  const { session } = fleet.ensemble.begin(600_000)
  const owner = `${randomUUID()}:1` as const
  return {
    owner,
    stand: (number: number) =>
      fleet.ensemble.stand({
        ...{ lock, session, key: keyOf(owner, number) },
        ...{ mode: 'read', permits: 1, ifFree: false },
      }),
    leave: (number: number) => fleet.ensemble.remove(lock, keyOf(owner, number)),
  }
}

test.each(['answered', 'lost'])(
  'faults B1, W4: a number that changes while a call is on its way into the line, whose answer is %s, leaves no entry behind',
  async (answer) => {
    const [near, far] = [fleet.client(), fleet.client()]
    const [mine, theirs] = [near, far].map(({ holdfast }) => holdfast.semaphore(lock.name))
    await theirs?.trySetPermits(1)
    const held = await theirs?.acquire()
    const first = mine?.acquire()
    await fleet.settled()
    near.link.before = async (what) => {
      if (what !== 'stand') return
      near.link.before = undefined
      await theirs?.addPermits(1)
      await fleet.settled()
    }
    if (answer === 'lost') near.link.unanswered = 'stand'
    near.link.meanwhile = async (what) => {
      if (what === 'stand' && answer === 'lost') await theirs?.addPermits(1)
    }
    const second = mine?.acquire()
    const sentBefore = near.link.sent.length
    await fleet.clock.advance(20_000)
    // A link knows as its own only what it was answered to stand: what was not is asked for again before it is used.
    const asked = near.link.sent.slice(sentBefore).filter((what) => what === 'stand')
    if (answer === 'lost') expect(asked.length).toBeGreaterThan(1)
    await (await first)?.release()
    await (await second)?.release()
    await held?.release()
    expect(fleet.ensemble.locks).toEqual([])
  },
)

describe('faults B1: the number of permits', () => {
  test('is as it was set, when an owner stands in line twice: its process gave up a session that the server still keeps', async () => {
    const semaphore = fleet.client().holdfast.semaphore(lock.name)
    await semaphore.trySetPermits(3)
    const { owner, stand } = other()
    stand(1)
    stand(2)
    expect(await semaphore.availablePermits()).toBe(1)
    await expect(semaphore.addPermits(2 ** 31 - 1)).rejects.toThrow(/^permits makes the number too large/)
    for (let again = 0; again < 3; again += 1) {
      await semaphore.addPermits(1)
      await semaphore.reducePermits(1)
    }
    expect(await semaphore.availablePermits()).toBe(1)
    expect((await semaphore.inspect()).owners).toEqual([
      { owner, holds: 1 },
      { owner, holds: 1 },
    ])
  })

  test('is as it was set, when an owner that had permits while it was changed waits for others', async () => {
    const semaphore = fleet.client().holdfast.semaphore(lock.name)
    await semaphore.trySetPermits(1)
    const [one, two] = [other(), other()]
    one.stand(1)
    await semaphore.addPermits(1)
    await semaphore.reducePermits(1)
    one.leave(1)
    two.stand(1)
    one.stand(2)
    expect(await semaphore.availablePermits()).toBe(0)
    expect((await semaphore.inspect()).owners).toEqual([{ owner: two.owner, holds: 1 }])
    await semaphore.addPermits(1)
    await semaphore.reducePermits(1)
    two.leave(1)
    one.leave(2)
    expect(await semaphore.availablePermits()).toBe(1)
  })

  test('may be below what is taken: who has some keeps it, and who comes then waits until enough is given back', async () => {
    const { holdfast } = fleet.client()
    const semaphore = holdfast.semaphore(lock.name)
    await semaphore.trySetPermits(3)
    const holds = [await semaphore.acquire(), await semaphore.acquire(), await semaphore.acquire()]
    await semaphore.reducePermits(2)
    expect(await semaphore.availablePermits()).toBe(-2)
    const far = fleet.client().holdfast.semaphore(lock.name)
    const waiting = far.acquire()
    await fleet.settled()
    expect((await far.inspect()).owners).toHaveLength(3)
    await holds[2]?.release()
    await holds[0]?.release()
    expect(await far.availablePermits()).toBe(0)
    expect((await far.inspect()).owners).toHaveLength(1)
    await holds[1]?.release()
    await (await waiting).release()
    expect(await far.availablePermits()).toBe(1)
  })

  test('goes to one: to who drains or to who acquires, whenever that comes', async () => {
    let steps = 1
    for (let at = 0; at < steps; at += 1) {
      const [drains, asks] = [fleet.client(), fleet.client()]
      const name = `permits ${at}`
      const far = asks.holdfast.semaphore(name)
      await far.trySetPermits(1)
      const acquired: unknown[] = []
      let step = 0
      drains.link.meanwhile = async () => {
        step += 1
        if (step === at + 1) acquired.push(await far.tryAcquire())
      }
      const drained = await drains.holdfast.semaphore(name).drainPermits()
      steps = step
      const taken = acquired.filter((hold) => hold !== null).length
      expect(drained + taken, `drained and acquired, at step ${at}`).toBeLessThanOrEqual(1)
      expect(await far.availablePermits()).toBe(1 - drained - taken)
    }
    expect(steps).toBeGreaterThan(1)
  })
})
