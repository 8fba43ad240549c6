import { setTimeout as pause } from 'node:timers/promises'

export interface Patience {
  readonly what: string
  readonly withinMs?: number
  readonly everyMs?: number
}

/**
 * Asks again and again until the answer is neither `undefined` nor `false`, and returns it. An error thrown by the
 * question counts as "not yet" and becomes the cause of the failure when time runs out.
 */
export async function until<T>(
  ask: () => Promise<T | undefined | false> | T | undefined | false,
  { what, withinMs = 30_000, everyMs = 10 }: Patience,
): Promise<T> {
  const deadline = performance.now() + withinMs
  for (;;) {
    let cause: unknown
    try {
      const answer = await ask()
      if (answer !== undefined && answer !== false) return answer
    } catch (error) {
      if (error instanceof Impossible) throw error
      cause = error
    }
    if (performance.now() >= deadline) throw new Error(`not within ${withinMs} ms: ${what}`, { cause })
    await pause(everyMs)
  }
}

export class Impossible extends Error {}

/** Does what may fail, and where it does, undoes what it has begun. */
export async function orUndo<Result>(undo: () => unknown, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    await undo()
    throw error
  }
}

export function succeeds(work: Promise<unknown>): Promise<boolean> {
  return work.then(
    () => true,
    () => false,
  )
}
