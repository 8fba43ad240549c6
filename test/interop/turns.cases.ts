import { afterEach, describe, expect, test } from 'vitest'
import { Forked } from '../redisson/forked.js'
import type { RedissonPeer } from './redisson-peer.js'
import { LOAD_TIMEOUT_MS, type Scene } from './scene.js'
import type { Task } from './turns.fixture.js'

const PROCESSES = 2
/** A JVM has to compile what it runs before it is as fast as it will be. */
const WARM_UP = 1_000
const TENURES = WARM_UP + 3_000
/** Each side is half of the waiters: within a factor of two of its share. */
const LEAST_SHARE = 0.25
const MOST_BETWEEN = 1_000

/** Whether each side gets its turns where both want the lock all the time (rule W8). A process with one waiter keeps the lock by habit (W9). */
export function turnsCases(scene: Scene): void {
  const { place } = scene
  const further: RedissonPeer[] = []
  afterEach(() => Promise.all(further.splice(0).map((process) => process.kill())))

  describe(`turns of both sides on ${scene.server}`, () => {
    test.for<number>([8, 1])(
      `W8, W9: 2 + 2 processes of %i waiters: each side has a quarter of the tenures at the least, and nobody waits for more than ${MOST_BETWEEN}`,
      { timeout: LOAD_TIMEOUT_MS },
      async (count, { onTestFinished }) => {
        const lock = place.holdfast().lock(place.lockName())
        const list = `{${lock.name}}:turns`
        const client = place.client()
        // Nobody begins before all are there.
        const hold = await lock.acquire()
        further.push(...(await Promise.all(Array.from({ length: PROCESSES }, () => scene.another()))))
        const theirs = further.flatMap((peer, index) =>
          waitersOf(`there ${index}`, count).map((waiter) =>
            peer.order(waiter, 'lock.turns', lock.name, list, waiter, TENURES),
          ),
        )
        const ours = Array.from({ length: PROCESSES }, (_, index) => {
          const waiters = waitersOf(`here ${index}`, count)
          const task: Task = { nodes: scene.nodes, name: lock.name, list, waiters, tenures: TENURES }
          return Forked.start(new URL('./turns.fixture.ts', import.meta.url), task, onTestFinished)
        })
        await scene.untilWaiting(lock, 2 * PROCESSES)
        await hold.release()
        await Promise.all([...theirs, ...ours.map((process) => process.told())])

        const written = await client.call('LRANGE', list, String(WARM_UP), String(TENURES - 1))
        const turns = Array.isArray(written) ? written.map(String) : []
        const here = turns.filter((waiter) => waiter.startsWith('here')).length / turns.length
        const [ofOurs, ofTheirs] = [longestBetween(turns, 'here'), longestBetween(turns, 'there')]
        expect(new Set(turns).size).toBe(2 * PROCESSES * count)
        expect(Math.min(here, 1 - here)).toBeGreaterThan(LEAST_SHARE)
        expect(Math.max(ofOurs, ofTheirs)).toBeLessThanOrEqual(MOST_BETWEEN)
      },
    )
  })
}

function waitersOf(process: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${process}-${index}`.replaceAll(' ', '-'))
}

/** How many others had it at the most between two tenures of the same waiter, or before its first, or after its last. */
function longestBetween(turns: readonly string[], side: 'here' | 'there'): number {
  const last = new Map<string, number>()
  let longest = 0
  for (const [index, waiter] of turns.entries()) {
    if (!waiter.startsWith(side)) continue
    longest = Math.max(longest, index - (last.get(waiter) ?? -1) - 1)
    last.set(waiter, index)
  }
  return Math.max(longest, ...[...last.values()].map((index) => turns.length - index - 1))
}
