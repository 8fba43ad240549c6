import type { BusyReply, GrantedReply } from '../../../port/lock-port.js'
import {
  fenceIn,
  listIn,
  ownerIn,
  textIn,
  timeIn,
  timeLeft,
  UnreadableReply,
  wholeIn,
  yesIn,
} from '../scripts/replies.js'

/** What a script answers that takes a lock, or a place in its line. */
export type AcquireAnswer = Granted | HolderSeen | typeof LOST

export interface Granted extends GrantedReply {
  /** Set where a place that its owner had in line is there still. */
  readonly placeStays?: true
}

/** The holder of the lock, and the server's time. */
export interface HolderSeen extends BusyReply {
  readonly serverUs: number
  /** Whether others look before the owner that asked when the lease ends. */
  readonly rests: boolean
  /**
   * Whether that owner is the first in line, and how many places its process has there; undefined where the script could not
   * reach the line.
   */
  readonly first: boolean
  readonly places: number | undefined
}

export const LOST = { outcome: 'lost' } as const

const GRANTED: Granted = { outcome: 'granted' }
const LINGERS = ' lingers'
const GRANTED_BESIDE_LINE: Granted = { outcome: 'granted', placeStays: true }

/** Reads a text, {left, holder, time, first, places, lingers, since}, or 0. */
export function acquireAnswer(reply: unknown): AcquireAnswer {
  if (typeof reply === 'string')
    return reply.endsWith(LINGERS)
      ? { ...granted(reply.slice(0, -LINGERS.length)), lingers: true }
      : granted(reply)
  if (reply === 0) return LOST
  // A nil at the end is none of the list.
  const [left, holder, time, first, places, lingers, since] = listIn(reply, 6, 7)
  const [count, turn] = [wholeIn(places, -1), wholeIn(first, 0, 3)]
  return {
    outcome: 'busy',
    remainingMs: timeLeft(left),
    holder: ownerIn(holder),
    heldSince: timeIn(since),
    serverUs: wholeIn(time, 1),
    rests: turn >= 2,
    first: turn % 2 === 1,
    places: count === -1 ? undefined : count,
    lingers: yesIn(lingers),
  }
}

/** Granted with that token; `-` where there are none, `?` where the line could not be reached. */
export function granted(reply: unknown): Granted {
  const token = textIn(reply)
  if (token === '-') return GRANTED
  if (token === '?') return GRANTED_BESIDE_LINE
  const fence = fenceIn(token)
  if (fence === undefined) throw new UnreadableReply(reply)
  return { outcome: 'granted', fence }
}
