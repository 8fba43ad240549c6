import type { Owner } from '../../identity/owner.js'
import { fenceIn } from '../locks/tenure-reply.js'
import { ownerIn, timeLeft } from '../scripts/replies.js'

/** What a script answers that takes a lock, or a place in its line. */
export type AcquireAnswer = Granted | HolderSeen | typeof LOST

export type Granted = { readonly outcome: 'granted'; readonly fence?: bigint }

/** Who holds the lock, and what time it was at the server. */
export interface HolderSeen {
  readonly outcome: 'busy'
  readonly remainingMs: number
  readonly holder: Owner | undefined
  readonly serverUs: number
  /** Whether who asked is the first in line, and how many places its process has there. */
  readonly first: boolean
  readonly places: number
}

export const LOST = { outcome: 'lost' } as const

const GRANTED: Granted = { outcome: 'granted' }

/** Reads a text, {left, holder, time, first, places}, or a number. */
export function acquireAnswer(reply: unknown): AcquireAnswer {
  if (typeof reply === 'string') return granted(reply)
  if (!Array.isArray(reply)) return LOST
  const [left, holder, time, first, places]: unknown[] = reply
  return {
    outcome: 'busy',
    remainingMs: timeLeft(left),
    holder: ownerIn(holder),
    serverUs: Number(time),
    first: first === 1,
    places: Number(places),
  }
}

/** Granted with that token; `-` where there are none. */
export function granted(token: string): Granted {
  const fence = fenceIn(token)
  return fence === undefined ? GRANTED : { outcome: 'granted', fence }
}
