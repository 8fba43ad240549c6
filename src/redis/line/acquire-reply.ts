import { isOwner, type Owner } from '../../identity/owner.js'
import { fenceIn } from '../locks/tenure-reply.js'

/** What a script answers that takes a lock, or a place in its line. */
export type AcquireAnswer = Granted | HolderSeen | typeof LOST

export type Granted = { readonly outcome: 'granted'; readonly fence?: bigint }

/** The holder of the lock, and the server's time. */
export interface HolderSeen {
  readonly outcome: 'busy'
  readonly remainingMs: number
  readonly holder: Owner | undefined
  readonly serverUs: number
  /**
   * Whether the owner that asked is the first in line, and how many places its process has there; undefined where the script could not
   * reach the line.
   */
  readonly first: boolean
  readonly places: number | undefined
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
    holder: typeof holder === 'string' && isOwner(holder) ? holder : undefined,
    serverUs: Number(time),
    first: first === 1,
    places: places === -1 ? undefined : Number(places),
  }
}

/** Granted with that token; `-` where there are none. */
export function granted(token: string): Granted {
  const fence = fenceIn(token)
  return fence === undefined ? GRANTED : { outcome: 'granted', fence }
}

/** Redis's PTTL: -2 there is no such key, -1 it has no end. */
function timeLeft(reply: unknown): number {
  const left = Number(reply)
  return left === -1 ? Number.POSITIVE_INFINITY : Math.max(left, 0)
}
