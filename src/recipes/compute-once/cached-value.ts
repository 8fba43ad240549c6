import type { KeptValue } from '../../port/kind-ports.js'

/** A value as it was read from the store, or computed just now. */
export interface CachedValue {
  readonly text: string
  /** When it goes stale, by the clock of this process, or when it did. */
  readonly staleAt: number
}

/** The text to store for a value: its JSON, and how many milliseconds of its time in the store it will be stale. */
export function entryOf(text: string, staleMs: number): string {
  return `${staleMs}:${text}`
}

/**
 * Undefined for a text that {@link entryOf} cannot have written.
 * @param now when it was read
 */
export function cachedValueOf({ text, remainingMs }: KeptValue, now: number): CachedValue | undefined {
  const [, staleMs, value] = /^(\d+):(\[.*\])$/s.exec(text) ?? []
  if (staleMs === undefined || value === undefined) return undefined
  return { text: value, staleAt: now + remainingMs - Number(staleMs) }
}

export function isFresh({ staleAt }: CachedValue, now: number): boolean {
  return now <= staleAt
}

/** Whether a call that accepts values up to `staleMs` out of date may return this one. */
export function isUsable(
  value: CachedValue | undefined,
  staleMs: number | undefined,
  now: number,
): value is CachedValue {
  return value !== undefined && (isFresh(value, now) || now < value.staleAt + (staleMs ?? 0))
}
