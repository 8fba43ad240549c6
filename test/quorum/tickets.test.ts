/** Clients that wait for a quorum's lock have tickets, by which all servers prefer the same one. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { rejectionOf } from '../../src/conformance/outcome.js'
import { type Hold, type Lock, LockTimeoutError, quorum } from '../../src/index.js'
import { rowSettings } from '../setup/row-settings.js'
import { Assembly, NAME } from './assembly.js'

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

/** Each client in a loop, until so many sections are through: the most that entered while one client waited, and the longest wait. */
async function loops(assembly: Assembly, locks: readonly Lock[], sectionMs: number, sections: number) {
  const { clock } = assembly
  const course = { entered: 0, mostPassedBy: 0, longestWaitMs: 0 }
  const loop = async (lock: Lock): Promise<void> => {
    while (course.entered < sections) {
      const [before, askedAt] = [course.entered, clock.now()]
      await lock.withLock(async () => {
        course.mostPassedBy = Math.max(course.mostPassedBy, course.entered - before)
        course.longestWaitMs = Math.max(course.longestWaitMs, clock.now() - askedAt)
        course.entered += 1
        await new Promise<void>((resolve) => clock.startTimer(resolve, sectionMs))
      })
    }
  }
  await assembly.outcome(Promise.all(locks.map(loop)))
  return course
}

describe.each([3, 5])('with %i servers', (servers) => {
  let assembly: Assembly
  beforeEach(() => {
    assembly = new Assembly(servers)
    // Round trips differ, so that requests arrive in different orders.
    for (const [index, server] of assembly.servers.entries()) server.delayMs = 1 + index
  })
  afterEach(() => assembly.end())

  const locks = (count: number): Lock[] => Array.from({ length: count }, () => assembly.lock())

  /** How long who waits has to wait from now on. */
  async function servedIn(waiting: Promise<Hold>): Promise<number> {
    const since = assembly.clock.now()
    const hold = await assembly.outcome(waiting)
    const tookMs = assembly.clock.now() - since
    await assembly.outcome(hold.release())
    return tookMs
  }

  test.each([
    { clients: 4, sectionMs: 20 },
    { clients: 8, sectionMs: 200 },
    { clients: 16, sectionMs: 50 },
  ])(
    'faults B1, W3: $clients clients in a loop of $sectionMs ms are served in turn',
    async ({ clients, sectionMs }) => {
      const course = await loops(assembly, locks(clients), sectionMs, 10 * clients)
      expect(course.mostPassedBy).toBeLessThanOrEqual(clients + 1)
      expect(course.longestWaitMs).toBeLessThan((clients + 1) * (sectionMs + 40))
      await assembly.nothingLeft()
    },
  )

  test('faults B1: one whose network ended while it waited holds up each of the others for one turn, once', async () => {
    const hold = await assembly.held()
    const { lock, ways } = assembly.apart()
    const gone = assembly.outcome(lock.acquire({ waitMs: 20_000 })).catch(() => 'gone')
    await assembly.clock.advance(50)
    for (const way of ways) way.conduct = 'gone'
    const course = loops(assembly, locks(4), 20, 80)
    await assembly.clock.advance(100)
    await assembly.outcome(hold.release())
    expect((await course).longestWaitMs).toBeLessThan(100 + 600 + 5 * 60)
    await gone
  })

  test('one that does not wait has the lock when the lease of a holder ends that died with all who waited', async () => {
    const [holder, waiting] = [assembly.apart(), [assembly.apart(), assembly.apart()]]
    await assembly.held({ leaseMs: 2_000 }, holder.lock)
    for (const { lock } of waiting) lock.acquire({ waitMs: 20_000 }).catch(() => undefined)
    await assembly.clock.advance(100)
    for (const way of [holder, ...waiting].flatMap(({ ways }) => ways)) way.conduct = 'gone'
    await assembly.clock.advance(2_500)
    expect(await assembly.isHad()).toBe(true)
  })

  test('one that died while it had the lock holds up nobody beyond its lease', async () => {
    const [first, second] = [assembly.apart(), assembly.apart()]
    await assembly.held({ leaseMs: 1_000 }, first.lock)
    for (const way of first.ways) way.conduct = 'gone'
    const dying = second.lock.acquire({ leaseMs: 2_000 })
    await assembly.clock.advance(50)
    const next = assembly.lock().acquire()
    await assembly.outcome(dying)
    for (const way of second.ways) way.conduct = 'gone'
    expect(await servedIn(next)).toBeLessThan(2_000 + 150)
  })

  test('faults B1: one that hears nothing is served when the lease ends that it saw', async () => {
    const { lock, ways } = assembly.apart()
    for (const way of ways) way.silent = true
    const { longestWaitMs } = await loops(assembly, [lock, ...locks(4)], 20, 60)
    expect(longestWaitMs).toBeLessThan(31_000)
  })

  test('W4: one that leaves gives its ticket back: the next is served at once', async () => {
    const hold = await assembly.held()
    const left = assembly.lock().acquire({ waitMs: 300 })
    left.catch(() => undefined)
    await assembly.clock.advance(50)
    const next = assembly.lock().acquire()
    await assembly.clock.advance(1_000)
    await expect(left).rejects.toBeInstanceOf(LockTimeoutError)
    await assembly.outcome(hold.release())
    expect(await servedIn(next)).toBeLessThan(60)
    await assembly.nothingLeft()
  })

  test('W4: one that leaves while its request is under way leaves no ticket either', async () => {
    for (const server of assembly.servers) server.delayMs = 20
    const hold = await assembly.held()
    const leaving = new AbortController()
    const left = rejectionOf(assembly.lock().acquire({ signal: leaving.signal }))
    for (const server of assembly.servers) server.sent.length = 0
    // One request finds out that it has to wait, the next gets the ticket.
    while (assembly.server(0).count('acquire') < 2) await assembly.clock.advance(1)
    leaving.abort('left')
    expect(await left).toBe('left')
    const next = assembly.lock().acquire()
    await assembly.clock.advance(200)
    await assembly.outcome(hold.release())
    expect(await servedIn(next)).toBeLessThan(150)
    await assembly.nothingLeft()
  })

  test('W4: one that leaves when it is its turn passes it on', async () => {
    const hold = await assembly.held()
    const leaving = new AbortController()
    const left = rejectionOf(assembly.lock().acquire({ signal: leaving.signal }))
    await assembly.clock.advance(50)
    const next = assembly.lock().acquire()
    await assembly.clock.advance(50)
    const releasing = hold.release()
    leaving.abort('left')
    await assembly.outcome(releasing)
    expect(await left).toBe('left')
    expect(await servedIn(next)).toBeLessThan(60)
    await assembly.nothingLeft()
  })

  /** A client without a wait loop, and its request. */
  function bare() {
    const session = quorum(assembly.servers).open(rowSettings(assembly.clock))
    const request = { name: NAME, owner: 'bare:1', heldBefore: 0, leaseMs: 5_000, waits: true } as const
    return { lock: session.lock, request, close: () => session.close() }
  }

  test('W4: one that asks while it hears nothing gets no ticket: it could not give it back', async () => {
    const hold = await assembly.held()
    // Its watch has broken, and it repeats a request that was not answered.
    const { lock, request, close } = bare()
    expect(await assembly.outcome(lock.acquire(request))).toMatchObject({ outcome: 'busy' })
    await assembly.outcome(lock.abandon(request))
    await assembly.outcome(hold.release())
    expect(await assembly.isHad()).toBe(true)
    await assembly.outcome(close())
    await assembly.nothingLeft()
  })

  test('W4: one that has entered, and whose hold is undone in the place of being released, leaves no ticket', async () => {
    const { lock, request, close } = bare()
    const watch = lock.watch(NAME, () => undefined)
    await assembly.outcome(watch.confirmed)
    expect(await assembly.outcome(lock.acquire(request))).toMatchObject({ outcome: 'granted' })
    await assembly.outcome(lock.abandon(request))
    expect(await assembly.isHad()).toBe(true)
    watch.close()
    await assembly.outcome(close())
    await assembly.nothingLeft()
  })

  test('a lock that is free and waited for is not taken by one that does not wait', async () => {
    const hold = await assembly.held()
    const next = assembly.lock().acquire()
    await assembly.clock.advance(50)
    const passing = assembly.holdfast()
    await assembly.outcome(passing.lock('elsewhere').withLock(() => undefined))
    const releasing = hold.release()
    expect(await assembly.isHad(passing.lock(NAME))).toBe(false)
    await assembly.outcome(releasing)
    await servedIn(next)
  })
})
