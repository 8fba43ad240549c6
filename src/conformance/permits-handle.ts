import type { Hold, Holdfast, LockState } from '../index.js'
import type { PermitsOptions } from '../kinds/options/permits-options.js'

export const kinds = ['semaphore', 'permitExpirableSemaphore'] as const
export type PermitsKind = (typeof kinds)[number]

type Body<Result> = (hold: Hold) => Result | PromiseLike<Result>

/** What semaphores of both kinds have in common for programs. */
export interface PermitsHandle {
  readonly name: string
  trySetPermits(permits: number, options?: { readonly ttlMs?: number }): Promise<boolean>
  addPermits(permits: number): Promise<void>
  availablePermits(): Promise<number>
  acquire(options?: PermitsOptions): Promise<Hold>
  tryAcquire(options?: PermitsOptions): Promise<Hold | null>
  withPermits<Result>(options: PermitsOptions, body: Body<Result>): Promise<Awaited<Result>>
  withLock<Result>(body: Body<Result>): Promise<Awaited<Result>>
  inspect(): Promise<LockState>
  countWaitingClients(): Promise<number | undefined>
}

export function handleOf(
  holdfast: Holdfast,
  kind: PermitsKind,
  name: string,
  permits?: number,
): PermitsHandle {
  return holdfast[kind](name, permits)
}
