import type { Hold, Holdfast, Permits } from '../index.js'

export const kinds = ['semaphore', 'permitExpirableSemaphore'] as const
export type PermitsKind = (typeof kinds)[number]

/** A semaphore of that kind, by what both have in common. */
export function handleOf(
  holdfast: Holdfast,
  kind: PermitsKind,
  name: string,
  permits?: number,
): Permits<Hold> {
  return holdfast[kind](name, permits)
}
