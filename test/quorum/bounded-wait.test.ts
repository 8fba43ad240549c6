/** Clients of a quorum have no line, but whoever has lost the lock to others more often asks first. */
import { afterEach, expect, test, vi } from 'vitest'
import { Assembly } from './assembly.js'

afterEach(() => {
  vi.restoreAllMocks()
})

/** The same numbers in each run: a linear congruential generator. */
function chance(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

test.each([
  { clients: 4, sectionMs: 20, sections: 400 },
  { clients: 8, sectionMs: 200, sections: 200 },
  { clients: 16, sectionMs: 50, sections: 250 },
])(
  'faults B1, W3: $clients clients in a loop of $sectionMs ms: none is passed by for more than two rounds',
  async ({ clients, sectionMs, sections }) => {
    vi.spyOn(Math, 'random').mockImplementation(chance(clients))
    const assembly = new Assembly(3)
    for (const server of assembly.servers) server.delayMs = 1
    const { clock } = assembly
    let entered = 0
    let mostPassedBy = 0
    const loops = Array.from({ length: clients }, async () => {
      const lock = assembly.holdfast().lock('turns')
      while (entered < sections) {
        const before = entered
        await lock.withLock(async () => {
          mostPassedBy = Math.max(mostPassedBy, entered - before)
          entered += 1
          await new Promise<void>((resolve) => clock.startTimer(resolve, sectionMs))
        })
      }
    })
    await assembly.outcome(Promise.all(loops))
    expect(mostPassedBy).toBeLessThanOrEqual(2 * clients)
    await assembly.end()
  },
)
