import type { Place } from '../../line/place.js'

/** The names of what belongs to the line of a lock, for one kind. */
export interface LineNames {
  /** The first of its scripts' keys. */
  keyOf(name: string): string
  /** The channel of that process. */
  channelOf(name: string, clientId: string): string
  /** The channels that the first in line listens to, for releases by clients outside the line. Empty if there are no such clients. */
  releaseChannels(name: string): readonly string[]
  /** Of these, the one that clients outside the line listen to; undefined if releases are not announced. */
  releaseChannel(name: string): string | undefined
  /** Whether the server has refused this client what it needs to stand in these lines. */
  readonly outside: boolean
}

/** One way in which a process holds the locks. */
export interface LineMode {
  /** The first part of its places. */
  readonly mode: string
  /** Takes that place out of the line, and gives back a grant to it. */
  leavePlace(name: string, place: Place): Promise<unknown>
}
