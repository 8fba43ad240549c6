import type { History } from '../history/history.js'
import { Room } from '../history/room.js'
import { type Call, callsOf } from '../history/section.js'
import { Standstills } from '../history/standstills.js'

/** What is judged. */
export interface Trial extends Pick<History, 'faults' | 'endedAt'> {
  readonly calls: readonly Call[]
  readonly room: Room
  readonly standstills: Standstills
  /** When nothing was to be expected of the store either, where the workers are that. */
  readonly unanswered: Standstills
}

export function trialOf(history: History, inWorkers = false): Trial {
  const { faults, endedAt } = history
  const unanswered = new Standstills(history, inWorkers)
  const standstills = new Standstills(history)
  return { faults, endedAt, calls: callsOf(history), room: new Room(history), standstills, unanswered }
}
