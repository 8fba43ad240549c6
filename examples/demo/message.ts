import type { Tally } from './tally.js'

/** What the workers are told when they are forked. */
export interface Brief {
  readonly url: string
  readonly watchdogMs: number
  /** Before every lock's name, so that one run's locks are nobody else's. */
  readonly prefix: string
}

/** What a worker is told to do. */
export type Order =
  | { readonly order: 'work'; readonly dir: string; readonly guarded: boolean }
  /** Finish what is under way, and no more. */
  | { readonly order: 'rest' }
  /** Stay in the next section of the greatest depth for ever. */
  | { readonly order: 'stay' }

/** What a worker tells. Times are of the machine's clock, so that those of two processes can be compared. */
export type News =
  | { readonly news: 'ready' }
  | { readonly news: 'entered'; readonly at: number }
  | { readonly news: 'progress'; readonly tally: Tally }
  | { readonly news: 'staying'; readonly at: number; readonly tally: Tally }
  | { readonly news: 'resting'; readonly tally: Tally }
  | { readonly news: 'failed'; readonly why: string }

/** The deepest that {@link import('./clerk.js').Clerk} nests: a transfer books, and a booking is noted. */
export const DEPTH = 3

export function isOrder(value: unknown): value is Order {
  return typeof value === 'object' && value !== null && 'order' in value
}

export function isNews(value: unknown): value is News {
  return typeof value === 'object' && value !== null && 'news' in value
}
