import type { Place } from '../../line/place.js'

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
  /** Takes that place out of the line, and gives back a grant to it. */
  leavePlace(name: string, place: Place): Promise<unknown>
}
