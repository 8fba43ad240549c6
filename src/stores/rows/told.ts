import type { Place } from '../line/place.js'
import {
  aFence,
  aFlag,
  aPlace,
  aText,
  aTextThat,
  aTime,
  partsOf,
  type Read,
  UnexpectedError,
} from './parts.js'

/** A message to a process about a lock. */
export type Told =
  /** That place has the lock, since that time of the store's clock, in microseconds, and for so long. */
  | {
      readonly letIn: Place
      readonly atUs: number
      readonly leaseMs: number
      /** In decimal; absent where the lock has no tokens. */
      readonly fence?: string
    }
  /** It must look after so long. */
  | { readonly lookInMs: number }
  /** Its places are gone. */
  | { readonly placesGone: true }
  /** Others ask for the lock that it may keep. */
  | { readonly asked: true }
  /** It has been released, changed, or opened for everybody. */
  | { readonly became: 'free' | 'changed' | 'open'; readonly turnOf?: string }

const messages: readonly Read<Told>[] = [
  partsOf({ letIn: aPlace, atUs: aTime, leaseMs: aTime }, { fence: aFence }),
  partsOf({ lookInMs: aTime }, {}),
  partsOf({ placesGone: aTrue }, {}),
  partsOf({ asked: aTrue }, {}),
  partsOf({ became: aTextThat('a change', isChange) }, { turnOf: aText }),
]

/** Any of the messages. */
export function aMessage(found: unknown, where: string): Told {
  for (const read of messages) {
    try {
      return read(found, where)
    } catch {
      // It is another one.
    }
  }
  throw new UnexpectedError(where, found, 'a message')
}

function aTrue(found: unknown, where: string): true {
  if (aFlag(found, where)) return true
  throw new UnexpectedError(where, found, 'true')
}

function isChange(text: string): text is 'free' | 'changed' | 'open' {
  return ['free', 'changed', 'open'].includes(text)
}

/** A time of the store's clock as messages name it. */
export function microseconds(ms: number): number {
  return Math.floor(ms * 1_000)
}
