/** Sections that take their locks in an order that makes a ring: each holds one lock and asks for the next one's. */
import { Latch } from '../../src/conformance/latch.js'
import type { DeadlockEvent, Holdfast, Lock } from '../../src/index.js'

export interface Step {
  readonly holdfast: Holdfast
  readonly first: Lock
  readonly second: Lock
}

/** What has become of the sections of a ring. */
export interface Ring {
  /** Each ends with the name of its second lock, or with what its call for that has failed with. */
  readonly sections: ReadonlyArray<Promise<unknown>>
  /** What each client was told. */
  readonly told: ReadonlyArray<readonly DeadlockEvent[]>
}

/** Resolves when all sections hold their first lock; each then asks for its second one. */
export async function ringOf(steps: readonly Step[], signal?: AbortSignal): Promise<Ring> {
  let inside = 0
  const meeting = new Latch()
  const told = steps.map(({ holdfast }) => deadlocksOf(holdfast))
  const sections = steps.map(({ first, second }) =>
    first
      .withLock(async () => {
        inside += 1
        if (inside === steps.length) meeting.open()
        await meeting.opened
        return await second.withLock(signal ? { signal } : {}, () => second.name)
      })
      .catch((error: unknown) => error),
  )
  await meeting.opened
  return { sections, told }
}

/** A ring over plain locks of these names, one client for each. */
export async function plainRing(holdfasts: readonly Holdfast[], name: string): Promise<Ring> {
  const nameOf = (index: number): string => `${name}:${index % holdfasts.length}`
  return await ringOf(
    holdfasts.map((holdfast, index) => ({
      holdfast,
      first: holdfast.lock(nameOf(index)),
      second: holdfast.lock(nameOf(index + 1)),
    })),
  )
}

export function deadlocksOf(holdfast: Holdfast): DeadlockEvent[] {
  const told: DeadlockEvent[] = []
  holdfast.on('deadlock', (event) => told.push(event))
  return told
}
