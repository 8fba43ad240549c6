import type { Clock } from '../../../base/time/clock.js'
import type { AcquireReply, AcquireRequest } from '../../../port/lock-port.js'
import type { LeftPlaces } from '../../line/left-places.js'
import type { Place } from '../../line/place.js'
import type { Words } from '../../line/proof.js'
import type { Refusals } from '../connection/refusals.js'
import type { AcquireAnswer } from './acquire-reply.js'

/** What lines are made with. */
export interface LinesSettings {
  /** The first half of all owners of this client. */
  readonly clientId: string
  readonly inCluster: boolean
  /** How long a grant in line lasts until its process takes over, and after how long a new place looks for the first time. */
  readonly firstLeaseMs: number
  /** The lease that the watchdog asks for. A grant to such a call needs no command: the watchdog prolongs it. */
  readonly watchdogLeaseMs: number
  readonly clock: Pick<Clock, 'now'>
  /** Those of all kinds that share the keys, like the words. */
  readonly leftPlaces: LeftPlaces
  readonly words: Words
  /** What the server has refused the client of what it needs to stand in lines. */
  readonly refusals: Refusals
}

/** The names of what belongs to the line of a lock, for one kind. */
export interface LineNames {
  /** The first of its scripts' keys. */
  keyOf(name: string): string
  /**
   * The channels that the first in line listens to, for releases by clients outside the line: the roster, and the one that such clients
   * listen to. Empty if there are none, because releases are not announced.
   */
  releaseChannels(name: string): readonly string[]
  /** Whether the server has refused this client the keys that these lines need. */
  readonly keysRefused?: boolean
}

/** One way in which a process holds the locks. */
export interface LineMode {
  /** The first part of its places. */
  readonly mode: string
  /**
   * Asks the store for the lock.
   *
   * @param looksMs 0: its caller does not wait. Below: it stands outside the line. Else it gets a place, and looks again by itself after so
   *   long at the latest.
   * @param terms how long a grant in line lasts until this process takes over, and the word that proves it
   * @param read what the answer means to the caller
   */
  ask(
    request: AcquireRequest,
    looksMs: number,
    terms: string,
    read: (answer: AcquireAnswer) => AcquireReply,
  ): Promise<AcquireReply>
  /** Takes that place out of the line, and gives back a grant to it. */
  leavePlace(name: string, place: Place): Promise<unknown>
}
