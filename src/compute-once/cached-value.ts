import type { KeptValue } from '../ports/kind-ports.js'

/** A value as it was read from the store, or computed just now. */
export interface CachedValue {
  readonly text: string
  /** How long ago the value went stale, in milliseconds; 0 while it is fresh. */
  readonly staleForMs: number
}

/** The text to store for a value: its JSON, and how many milliseconds of its time in the store it will be stale. */
export function entryOf(text: string, staleMs: number): string {
  return `${staleMs}:${text}`
}

/** Undefined for a text that {@link entryOf} cannot have written. */
export function cachedValueOf({ text, remainingMs }: KeptValue): CachedValue | undefined {
  const [, staleMs, value] = /^(\d+):(\[.*\])$/s.exec(text) ?? []
  if (staleMs === undefined || value === undefined) return undefined
  return { text: value, staleForMs: Math.max(Number(staleMs) - remainingMs, 0) }
}

/** Whether a call that accepts values up to `staleMs` out of date may return this one. */
export function isUsable(value: CachedValue | undefined, staleMs: number): value is CachedValue {
  return value !== undefined && (value.staleForMs === 0 || value.staleForMs < staleMs)
}
