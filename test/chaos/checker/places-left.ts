import type { Fault } from '../history/fault.js'
import type { WorkerHistory } from '../history/history.js'
import type { Nemesis } from '../nemeses/nemesis.js'

/** So long a place stays of a process that has not left: until it would have looked, and 10 s more, for which it might be away. */
const AWAY_MS = 10_000

/** The places in lines that may be left at rest. */
export interface PlacesLeft {
  mayBeOf(client: string): boolean
  /** For how long yet. */
  readonly longestMs: number
}

/**
 * Only those that nobody could leave: of a process that was killed, or of a client that was closed while its store was out of reach; and
 * those that stand again although they were left: by a late copy of a request, or in a replica that had not heard of the leaving.
 * @param looksMs after how long whoever waits looks by itself, at the latest
 */
export function placesLeft(
  workers: readonly WorkerHistory[],
  faults: readonly Fault[],
  { strays }: Pick<Nemesis, 'strays'>,
  looksMs: number,
): PlacesLeft {
  const again = strays === true || faults.some(({ revives }) => revives)
  const cutOff = faults.some((fault) => fault.cutsOff)
  const unable = workers.filter(
    ({ killedAt, events }) => killedAt !== undefined || (cutOff && events.some(({ e }) => e === 'reopened')),
  )
  const able = new Set(workers.filter((worker) => !unable.includes(worker)).flatMap(clientsOf))
  return {
    mayBeOf: (client) => again || (unable.length > 0 && !able.has(client)),
    longestMs: looksMs + AWAY_MS,
  }
}

/** Those that have made owners: their first half is the client. */
function clientsOf({ events }: WorkerHistory): string[] {
  return events.flatMap((event) => (event.e === 'call' && event.owner?.split(':')[0]) || [])
}
