import type { KeptValue } from '../kind-ports.js'

/** A value as calls are given it. */
export interface Landing {
  readonly text: string
  /** For how long it has been out of date, in milliseconds; 0 when it is not. */
  readonly staleForMs: number
}

/** What is kept for a value: its text, and for how much of its time it will be out of date. */
export function entryOf(text: string, staleMs: number): string {
  return `${staleMs}:${text}`
}

/** Undefined for a text that nobody can have kept by {@link entryOf}. */
export function landingOf({ text, remainingMs }: KeptValue): Landing | undefined {
  const [, staleMs, value] = /^(\d+):(\[.*\])$/s.exec(text) ?? []
  if (staleMs === undefined || value === undefined) return undefined
  return { text: value, staleForMs: Math.max(Number(staleMs) - remainingMs, 0) }
}

export function isGoodFor(landing: Landing | undefined, staleMs: number): landing is Landing {
  return landing !== undefined && (landing.staleForMs === 0 || landing.staleForMs < staleMs)
}
