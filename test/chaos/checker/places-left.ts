import type { Fault, WorkerHistory } from '../history/history.js'
import type { Nemesis } from '../nemeses/nemesis.js'

/** So long a place stays of a process that has not left: until it would have looked, and 10 s more, for which it might be away. */
const AWAY_MS = 10_000
/** So long it is remembered whose turn it is. */
const TURNS_KEPT_MS = 60_000
/** What is known of the place that was let in last, which may have ended without a word. */
const OF_THE_LAST = ['last', 'unclaimed']
const TURNS = 'ours'

export interface PlacesLeft {
  /**
   * @param of what a key tells of: the clients of its places, or the fields of the processes in line
   * @param leftMs its time to live
   */
  mayStay(of: readonly string[], leftMs: number): boolean
}

/**
 * Only those that nobody could leave: of a process that was killed, or of a client that was closed while its store was out of reach; and
 * those that stand again although they were left: by a late copy of a request, or in a replica that had not heard of the leaving. Whose
 * turn it is stays where connections broke: a new one may hear releases a moment before it counts as one of those in line.
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
    mayStay(of, leftMs) {
      const turns = of.includes(TURNS)
      const clients = of.filter((field) => field !== TURNS && !OF_THE_LAST.includes(field))
      return (
        (!turns || cutOff) &&
        clients.every((client) => again || (unable.length > 0 && !able.has(client))) &&
        leftMs >= 0 &&
        leftMs <= (turns ? TURNS_KEPT_MS : looksMs + AWAY_MS)
      )
    },
  }
}

function clientsOf({ events }: WorkerHistory): string[] {
  return events.flatMap((event) => (event.e === 'call' && event.owner?.split(':')[0]) || [])
}
