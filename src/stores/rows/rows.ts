import type { Owner } from '../../base/identity/owner.js'
import type { StoreSettings } from '../../port/store.js'
import type { Place } from '../line/place.js'
import type { Keyspace, Packed, Shape } from './shape.js'
import type { Ties } from './ties.js'

/**
 * What a store has to be able to do to keep locks as rows: find the row of a lock, change it as one step, and tell clients that wait.
 * What a row says, and how it changes, is the same in every such store (the shapes and ports of this folder).
 */
export interface Rows {
  /** Opens what one client needs. It closes nothing else. */
  openRows(settings: StoreSettings, listener: InboxListener): RowSession
}

export interface RowSession {
  /**
   * Changes the row of that name as one step: nothing else changes it between what `change` sees and what it leaves. The store calls
   * `change` again if another client was faster, so it keeps nothing but what it returns. The store writes nothing if `change` leaves the
   * body as it was, or throws; it passes the error on.
   */
  change<Body, Result>(
    shape: Shape<Body>,
    name: string,
    change: (draft: Draft<Body>) => Result,
  ): Promise<Result>

  /** The names of the rows of that keyspace that match a glob pattern, held or not. */
  names(keyspace: Keyspace, pattern: string): AsyncIterable<string>

  /** Brings messages to this client; absent in a store without push, whose waiters poll. */
  readonly inbox?: Inbox | undefined

  /** Commands for a lock that nobody waits for, each in one round trip; absent where `change` needs no more. */
  readonly express?: Express | undefined

  /** Ties locks to transactions of the application; absent in a store that has none. */
  readonly ties?: Ties | undefined

  close(): Promise<void>
}

/** A row during a change. */
export interface Draft<Body> {
  /** `change` edits it in place; blank if there is no row. */
  readonly body: Body
  /** The store's clock, in milliseconds since 1970: the only clock that decides about leases. */
  readonly now: number
  /** When that clock was asked, on the client's clock, and no later; absent: when `change` was called. */
  readonly askedAt?: number | undefined
  /** The least possible next token: greater than any token of an earlier row of that name. */
  readonly firstFence: bigint
  /** Whether a message would reach that client now. */
  reaches(client: string): boolean
  /** Whether that client's process has surely ended, so that its holds are free. False if a store cannot know. */
  ended(client: string): boolean
  /** Whether the transaction of that tie has ended. Absent in a store without ties. */
  tieEnded?(tie: string): boolean
  /** Sends a message to that client's inbox, together with the change. */
  tell(client: string, message: Message): void
}

/** A message to a client: about which row, and what, in JSON. */
export interface Message {
  readonly keyspace: Keyspace
  readonly name: string
  readonly text: string
}

/** How messages come to this client. */
export interface Inbox {
  /** Whether messages come at the moment. */
  readonly open: boolean
  /** Resolves when messages come from now on, at once if they do. Rejects with a `StoreError` if they cannot. */
  opened(): Promise<void>
  /** A message should have come and did not: checks that messages still come, and calls `missed` if not. Tells nothing before it returns. */
  doubt(): void
}

export interface InboxListener {
  /** Whether anybody waits for a message. */
  readonly waits?: boolean
  message(message: Message): void
  /** The client may have missed messages. An inbox calls it when it breaks, and when it is open again. */
  missed(): void
}

/** The most frequent requests for an exclusive lock, each as one command that changes the row only in the simple case. */
export interface Express {
  /** Takes a free lock for which nobody waits. Returns the token; undefined in any other case: then `change` decides. */
  take(request: {
    readonly name: string
    readonly owner: string
    readonly leaseMs: number
  }): Promise<bigint | undefined>
  /**
   * Frees a lock of which this owner has the only hold, and for which nobody waits; or grants it to the next in line, as `change` would,
   * if the store can do that too. False in any other case.
   * @param waitedFor whether others probably wait
   */
  free(name: string, owner: string, waitedFor?: boolean): Promise<boolean>
  /**
   * Adds a place at the end of the line of a lock that another owner holds, as `change` would. Undefined in any other case, and if the
   * place is there: then `change` decides. Absent where `change` costs no more. `firstLeaseMs`: how long a grant lasts until the process
   * takes over. `word` proves a grant to it.
   */
  stand?(request: {
    readonly name: string
    readonly place: Place
    readonly firstLeaseMs: number
    readonly word: string
  }): Promise<Standing | undefined>
  /** Prolongs leases; one answer for each, in order. */
  renew(
    requests: readonly {
      readonly name: string
      readonly owner: string
      readonly leaseMs: number
      /** How long the answer may take, if less than for other commands. */
      readonly withinMs?: number | undefined
    }[],
  ): readonly Promise<boolean>[]
}

export type TakeRequest = Parameters<Express['take']>[0]
export type StandRequest = Parameters<NonNullable<Express['stand']>>[0]
export type Renewal = Parameters<Express['renew']>[0][number]

/** The holder that a new place waits for; times are the store's. */
export interface Standing extends Pick<Draft<unknown>, 'now' | 'askedAt'> {
  readonly holder: Owner
  /** Since when; unknown where there was no token. */
  readonly since: number | undefined
  readonly endsAt: number
}

/** A table that writes a row only if its version is unchanged. */
export interface VersionedTable {
  /** Reads the row; without one `packed` is undefined, and the version 0. */
  read(keyspace: Keyspace, name: string): Promise<Versioned>
  /** Writes the row if its version is still that, and sends the messages with it. Returns whether it did. */
  write(
    keyspace: Keyspace,
    name: string,
    version: bigint,
    packed: Packed,
    messages: ReadonlyArray<readonly [client: string, message: Message]>,
  ): Promise<boolean>
}

export interface Versioned {
  readonly packed: Packed | undefined
  readonly version: bigint
  readonly now: number
  /** The time of the request by the client's clock, if that was before the call of `read`. */
  readonly askedAt?: number | undefined
  /** Those of the clients in `packed.waiting`, and of the owner's, that messages surely do not reach. */
  readonly unreachable: ReadonlySet<string>
  /** Whether that client's process has surely ended, so that its holds are free. Absent if a store cannot know. */
  ended?(client: string): boolean
  /** The ties in `packed.rest` whose transactions have surely ended. Absent in a store without ties. */
  readonly endedTies?: ReadonlySet<string>
}
