/** Clients that wait for a quorum's lock have tickets, by which all servers prefer the same one. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type Holdfast, quorum } from '../../src/index.js'
import { rowSettings } from '../setup/row-settings.js'
import { Assembly } from './assembly.js'

const NAME = 'turns'

/** The same numbers in each run: a linear congruential generator. */
function chance(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

beforeEach(() => {
  vi.spyOn(Math, 'random').mockImplementation(chance(7))
})
afterEach(() => {
  vi.restoreAllMocks()
})

interface Course {
  /** How many others entered, at the most, while one client waited. */
  readonly mostPassedBy: number
  readonly longestWaitMs: number
}

/** Each client in a loop, until so many sections are through. */
async function loops(
  assembly: Assembly,
  clients: readonly Holdfast[],
  sectionMs: number,
  sections: number,
): Promise<Course> {
  const { clock } = assembly
  let entered = 0
  let mostPassedBy = 0
  let longestWaitMs = 0
  const loop = async (holdfast: Holdfast): Promise<void> => {
    while (entered < sections) {
      const [before, askedAt] = [entered, clock.now()]
      await holdfast.lock(NAME).withLock(async () => {
        mostPassedBy = Math.max(mostPassedBy, entered - before)
        longestWaitMs = Math.max(longestWaitMs, clock.now() - askedAt)
        entered += 1
        await new Promise<void>((resolve) => clock.startTimer(resolve, sectionMs))
      })
    }
  }
  await assembly.outcome(Promise.all(clients.map(loop)))
  return { mostPassedBy, longestWaitMs }
}

describe.each([3, 5])('with %i servers', (servers) => {
  let assembly: Assembly
  beforeEach(() => {
    assembly = new Assembly(servers)
    // Round trips differ, so that requests arrive in different orders.
    for (const [index, server] of assembly.servers.entries()) server.delayMs = 1 + index
  })
  afterEach(() => assembly.end())

  test.each([
    { clients: 4, sectionMs: 20 },
    { clients: 8, sectionMs: 200 },
    { clients: 16, sectionMs: 50 },
  ])(
    'faults B1, W3: $clients clients in a loop of $sectionMs ms are served in turn',
    async ({ clients, sectionMs }) => {
      const made = Array.from({ length: clients }, () => assembly.holdfast())
      const { mostPassedBy, longestWaitMs } = await loops(assembly, made, sectionMs, 10 * clients)
      expect(mostPassedBy).toBeLessThanOrEqual(clients + 1)
      expect(longestWaitMs).toBeLessThan((clients + 1) * (sectionMs + 40))
      await assembly.nothingLeft(NAME)
    },
  )

  test('faults B1: one whose network ended while it waited holds up each of the others for one turn, once', async () => {
    const hold = await assembly.outcome(assembly.holdfast().lock(NAME).acquire())
    const { holdfast, ways } = assembly.apart()
    const gone = assembly.outcome(holdfast.lock(NAME).acquire({ waitMs: 20_000 })).catch(() => 'gone')
    await assembly.clock.advance(50)
    const clients = Array.from({ length: 4 }, () => assembly.holdfast())
    for (const way of ways) way.conduct = 'gone'
    const course = loops(assembly, clients, 20, 80)
    await assembly.clock.advance(100)
    await assembly.outcome(hold.release())
    expect((await course).longestWaitMs).toBeLessThan(100 + 600 + 5 * 60)
    await gone
  })

  test('one that does not wait has the lock when the lease of a holder ends that died with all who waited', async () => {
    const [holder, ...waiting] = [0, 1, 2].map(() => assembly.apart())
    await assembly.outcome(Promise.resolve(holder?.holdfast.lock(NAME).acquire({ leaseMs: 2_000 })))
    for (const { holdfast } of waiting)
      holdfast
        .lock(NAME)
        .acquire({ waitMs: 20_000 })
        .catch(() => undefined)
    await assembly.clock.advance(100)
    for (const { ways } of [...waiting, ...(holder ? [holder] : [])])
      for (const way of ways) way.conduct = 'gone'
    await assembly.clock.advance(2_500)
    const hold = await assembly.outcome(assembly.holdfast().lock(NAME).tryAcquire())
    expect(hold).not.toBeNull()
    await assembly.outcome(Promise.resolve(hold?.release()))
  })

  test('one that died while it had the lock holds up nobody beyond its lease', async () => {
    const [first, second] = [assembly.apart(), assembly.apart()]
    await assembly.outcome(first.holdfast.lock(NAME).acquire({ leaseMs: 1_000 }))
    for (const way of first.ways) way.conduct = 'gone'
    const dying = second.holdfast.lock(NAME).acquire({ leaseMs: 2_000 })
    await assembly.clock.advance(50)
    const next = assembly.holdfast().lock(NAME).acquire()
    await assembly.outcome(dying)
    const enteredAt = assembly.clock.now()
    for (const way of second.ways) way.conduct = 'gone'
    const served = await assembly.outcome(next)
    expect(assembly.clock.now() - enteredAt).toBeLessThan(2_000 + 150)
    await assembly.outcome(served.release())
  })

  test('faults B1: one that hears nothing is served when the lease ends that it saw', async () => {
    const { holdfast, ways } = assembly.apart()
    for (const way of ways) way.silent = true
    const clients = [holdfast, ...Array.from({ length: 4 }, () => assembly.holdfast())]
    const { longestWaitMs } = await loops(assembly, clients, 20, 60)
    expect(longestWaitMs).toBeLessThan(31_000)
  })

  test('W4: one that leaves gives its ticket back: the next is served at once', async () => {
    const hold = await assembly.outcome(assembly.holdfast().lock(NAME).acquire())
    const impatient = assembly.holdfast().lock(NAME).acquire({ waitMs: 300 })
    const left = impatient.catch(() => 'left')
    await assembly.clock.advance(50)
    const next = assembly.holdfast().lock(NAME).acquire()
    await assembly.clock.advance(1_000)
    expect(await left).toBe('left')
    await assembly.outcome(hold.release())
    const freeAt = assembly.clock.now()
    await assembly.outcome(next.then((its) => its.release()))
    expect(assembly.clock.now() - freeAt).toBeLessThan(60)
    await assembly.nothingLeft(NAME)
  })

  test('W4: one that leaves while its request is under way leaves no ticket either', async () => {
    for (const server of assembly.servers) server.delayMs = 20
    const hold = await assembly.outcome(assembly.holdfast().lock(NAME).acquire())
    const impatient = assembly.holdfast()
    const leaving = new AbortController()
    const left = impatient
      .lock(NAME)
      .acquire({ signal: leaving.signal })
      .catch(() => 'left')
    for (const server of assembly.servers) server.sent.length = 0
    // One request finds out that it has to wait, the next gets the ticket.
    while (assembly.server(0).count('acquire') < 2) await assembly.clock.advance(1)
    leaving.abort()
    expect(await left).toBe('left')
    const next = assembly.holdfast().lock(NAME).acquire()
    await assembly.clock.advance(200)
    await assembly.outcome(hold.release())
    const freeAt = assembly.clock.now()
    await assembly.outcome(next.then((its) => its.release()))
    expect(assembly.clock.now() - freeAt).toBeLessThan(150)
    await assembly.nothingLeft(NAME)
  })

  test('W4: one that asks while it hears nothing gets no ticket: it could not give it back', async () => {
    const hold = await assembly.outcome(assembly.holdfast().lock(NAME).acquire())
    // Its watch has broken, and it repeats a request that was not answered.
    const session = quorum(assembly.servers).open(rowSettings(assembly.clock))
    const { lock } = session
    const request = { name: NAME, owner: 'deaf:1', heldBefore: 0, leaseMs: 5_000, waits: true } as const
    expect(await assembly.outcome(lock.acquire(request))).toMatchObject({ outcome: 'busy' })
    await assembly.outcome(lock.abandon(request))
    await assembly.outcome(hold.release())
    const next = await assembly.outcome(assembly.holdfast().lock(NAME).tryAcquire())
    expect(next).not.toBeNull()
    await assembly.outcome(Promise.resolve(next?.release()))
    await assembly.outcome(session.close())
    await assembly.nothingLeft(NAME)
  })

  test('W4: one that has entered, and whose hold is undone in the place of being released, leaves no ticket', async () => {
    const session = quorum(assembly.servers).open(rowSettings(assembly.clock))
    const { lock } = session
    const watch = lock.watch(NAME, () => undefined)
    await assembly.outcome(watch.confirmed)
    const request = { name: NAME, owner: 'entered:1', heldBefore: 0, leaseMs: 5_000, waits: true } as const
    expect(await assembly.outcome(lock.acquire(request))).toMatchObject({ outcome: 'granted' })
    await assembly.outcome(lock.abandon(request))
    const next = await assembly.outcome(assembly.holdfast().lock(NAME).tryAcquire())
    expect(next).not.toBeNull()
    await assembly.outcome(Promise.resolve(next?.release()))
    watch.close()
    await assembly.outcome(session.close())
    await assembly.nothingLeft(NAME)
  })

  test('W4: one that leaves when it is its turn passes it on', async () => {
    const first = assembly.holdfast()
    const hold = await assembly.outcome(assembly.holdfast().lock(NAME).acquire())
    const leaving = new AbortController()
    const left = first
      .lock(NAME)
      .acquire({ signal: leaving.signal })
      .catch(() => 'left')
    await assembly.clock.advance(50)
    const next = assembly.holdfast().lock(NAME).acquire()
    await assembly.clock.advance(50)
    const releasing = hold.release()
    leaving.abort()
    await assembly.outcome(releasing)
    const freeAt = assembly.clock.now()
    expect(await left).toBe('left')
    await assembly.outcome(next.then((its) => its.release()))
    expect(assembly.clock.now() - freeAt).toBeLessThan(60)
    await assembly.nothingLeft(NAME)
  })

  test('a lock that is free and waited for is not taken by one that does not wait', async () => {
    const hold = await assembly.outcome(assembly.holdfast().lock(NAME).acquire())
    const next = assembly.holdfast().lock(NAME).acquire()
    await assembly.clock.advance(50)
    const passing = assembly.holdfast()
    await assembly.outcome(passing.lock('elsewhere').withLock(() => undefined))
    const releasing = hold.release()
    const tried = passing.lock(NAME).tryAcquire()
    expect(await assembly.outcome(tried)).toBeNull()
    await assembly.outcome(releasing)
    await assembly.outcome(next.then((its) => its.release()))
  })
})
