import { type Edge, lockKeyOf, type SeenEdge } from '../../port/edges-port.js'
import { cyclesThrough } from './cycles.js'
import { verified } from './verify.js'
import type { View } from './view.js'

/** How far one chase goes: the longest cycle that it finds, the locks whose edges it reads, and how often it looks whether a cycle stands. */
export const MOST_LINKS = 16
export const MOST_LOCKS = 64
const MOST_LOOKS = 4

/**
 * Edge chasing, backwards: edges lie beside the locks that are waited for, so those who wait for what `start` holds are found there, then
 * those who wait for what these hold, until one holds what `start` waits for. Returns a cycle that stands, if there is one.
 */
export async function chase(start: Edge, view: View): Promise<readonly SeenEdge[] | undefined> {
  const found = new Map<string, Edge>([[start.id, start]])
  const read = new Set<string>()
  let looks = 0
  let front: readonly Edge[] = [start]
  for (let links = 1; links < MOST_LINKS && front.length > 0; links += 1) {
    const answers = await Promise.all(unread(front, read).map((lock) => view.edges.of(lock)))
    const next = new Map(answers.flat().map((edge) => [edge.id, edge]))
    for (const id of found.keys()) next.delete(id)
    for (const [id, edge] of next) found.set(id, edge)
    front = [...next.values()]
    for (const cycle of cyclesThrough(start, [...found.values()])) {
      if (looks === MOST_LOOKS) return undefined
      looks += 1
      const standing = await verified(cycle, view)
      if (standing) return standing
    }
  }
  return undefined
}

/** What they hold and nobody has read yet, as far as the chase goes. */
function unread(front: readonly Edge[], read: Set<string>): readonly Edge['waitsFor'][] {
  const locks: Edge['waitsFor'][] = []
  for (const lock of front.flatMap(({ holds }) => holds)) {
    const key = lockKeyOf(lock)
    if (read.size === MOST_LOCKS) break
    if (read.has(key)) continue
    read.add(key)
    locks.push(lock)
  }
  return locks
}
