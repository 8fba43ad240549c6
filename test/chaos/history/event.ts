/** One line of a worker's history. `t` is CLOCK_MONOTONIC in milliseconds, the same for all processes of the machine. */
export type HistoryEvent = { readonly t: number } & Told

export type Told =
  /** Names that are to be taken, each with what it admits; `c` numbers the worker's calls. */
  | ({ readonly e: 'call' } & CallTold)
  /** The store has told the call that it waits in its line. */
  | { readonly e: 'wait'; readonly c: number }
  /** The store's grant came when its lease was over: the call gives it back, and has no place until it waits again. */
  | { readonly e: 'late'; readonly c: number }
  | { readonly e: 'fail'; readonly c: number; readonly how: string }
  /** The section has begun; `left` is how long its hold says that it is certain. */
  | {
      readonly e: 'enter'
      readonly c: number
      readonly left: number
      readonly fence?: string | undefined
      /** Which stripe, where any was asked for. */
      readonly name?: string | undefined
    }
  /** The hold says that it stands, and for how long that is certain. */
  | { readonly e: 'holds'; readonly c: number; readonly left: number }
  | { readonly e: 'lost'; readonly c: number }
  /** The section's work is over; the release has not begun. */
  | { readonly e: 'exit'; readonly c: number }
  /** Its permits are taken for so long yet, unless they are renewed. */
  | { readonly e: 'lets'; readonly c: number; readonly ms: number }
  /** A transaction that its hold was tied to is committed. */
  | { readonly e: 'booked'; readonly c: number }
  /** The call has settled after its section. */
  | { readonly e: 'done'; readonly c: number; readonly how: string }
  /** The number of permits is to change; `by` is missing where all that are free are taken. `n` numbers the changes. */
  | { readonly e: 'resize'; readonly n: number; readonly name: string; readonly by?: number | undefined }
  | { readonly e: 'resized'; readonly n: number; readonly by: number }
  /** A client was closed in the course of the load, and the next took its place. */
  | { readonly e: 'reopened'; readonly ms: number; readonly drainMs: number }
  /** The event loop stood still for that long before this. */
  | { readonly e: 'lag'; readonly ms: number }
  /** No call is under way, and this is what is alive in the client. */
  | { readonly e: 'idle'; readonly census: Readonly<Record<string, number>> }
  | { readonly e: 'closed'; readonly ms: number; readonly handles: readonly string[] }
  /** What a client sees of a lock when calls that should have come to an end have not. */
  | { readonly e: 'seen'; readonly name: string; readonly state: string }
  /** Something that no program should see. */
  | { readonly e: 'wrong'; readonly what: string }

export interface CallTold {
  readonly c: number
  readonly kind: string
  readonly way: string
  /** What it takes; of a striped lock that any stripe will do of: nothing, until it is known which. */
  readonly names: readonly string[]
  /** What each name admits, and how much of it this takes. */
  readonly room: number
  readonly takes: number
  readonly waitMs?: number | undefined
  readonly leaseMs?: number | undefined
  readonly abortMs?: number | undefined
  readonly owner?: string | undefined
  /** The scopes it is made in, the outermost first: what encloses it, as its owner sees it. */
  readonly scope: readonly number[]
  /** The scope that its hold belongs to: calls made in it, or in a scope within it, may re-enter. None where nobody may. */
  readonly opens: readonly number[]
}

/** What a writer takes of a read-write lock, and all that there is of it. */
export const EVERYTHING = 1_000_000

export function now(): number {
  return Number(process.hrtime.bigint()) / 1e6
}
