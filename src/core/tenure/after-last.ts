import type { Environment } from '../environment.js'
import type { LocalQueue } from '../queue/local-queue.js'
import type { Waiter } from '../queue/waiter.js'
import { canPassInMemory } from './hand-over.js'
import type { HoldRecord } from './tenure.js'

/** What decides about a lock whose owner gives its last hold back. */
export interface LastHold {
  /** How much longer it has to stay taken although nobody is inside. */
  readonly keptMs: number
  /** The call of this process that waits for it and has no command of its own under way. */
  readonly next: object | undefined
  /** Whether it may be tied to a transaction: then only the store knows when somebody may have it. */
  readonly tied: boolean
  /** Whether it was handed on within the process as often, or for as long, as may be before it is the turn of others. */
  readonly spent: boolean
  /** Whether the store need not hear that it changes hands. */
  readonly canPassInMemory: boolean
  /** Until when it may linger with the process; undefined: not at all. */
  readonly lingersUntil: number | undefined
}

/** What becomes of it (release.ts carries that out). */
export type AfterLast = 'keepTaken' | 'pass' | 'passByCommand' | 'linger' | 'release'

export function afterLast(last: LastHold): AfterLast {
  if (last.keptMs > 0) return 'keepTaken'
  if (last.next && !last.tied && !last.spent) return last.canPassInMemory ? 'pass' : 'passByCommand'
  return last.lingersUntil === undefined ? 'release' : 'linger'
}

export function lastHold(
  env: Environment,
  queue: LocalQueue | undefined,
  grant: HoldRecord,
  now: number,
): LastHold & { readonly next: Waiter | undefined } {
  const { tenure } = grant
  const next = queue?.policy.successor?.()
  return {
    keptMs: tenure.keptForMs(now),
    next,
    tied: tenure.tied,
    spent: tenure.isSpent(env.settings, now),
    canPassInMemory: next !== undefined && canPassInMemory(env, grant, next.call, now),
    lingersUntil: queue && env.lingering.staysUntil(queue, grant, now),
  }
}
