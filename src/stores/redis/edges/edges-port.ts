import type { LockRole } from '../../../base/errors/deadlock-error.js'
import { StoreError } from '../../../base/errors/errors.js'
import { type Edge, type EdgesPort, MOST_EDGES_READ, type SeenEdge } from '../../../port/edges-port.js'
import type { Link } from '../connection/link.js'
import { companionOf } from '../keys/companion-key.js'
import { listIn, pairsIn, textIn, wholeIn } from '../scripts/replies.js'
import { scanMatching } from '../scripts/scan.js'
import { runScript } from '../scripts/script.js'
import { edgeLeave, edgeList } from '../scripts/scripts.generated.js'
import { edgeIn } from './edge-text.js'

const BESIDE_LOCKS = 'holdfast_edges'
const BESIDE_READ_WRITE_LOCKS = 'holdfast_rw_edges'

/** Edges in Redis: a hash for each lock that somebody waits for so, in the lock's slot. */
export class RedisEdgesPort implements EdgesPort {
  constructor(
    private readonly link: Link,
    private readonly keyPrefix: string,
  ) {}

  async leave(edge: Edge, waitedMs: number, lifeMs: number): Promise<void> {
    const args = [edge.id, Math.round(waitedMs), Math.round(lifeMs), JSON.stringify(edge)]
    const { name } = edge.waitsFor
    await runScript(this.link, edgeLeave, this.#keyOf(edge.waitsFor), name, args, (reply) =>
      wholeIn(reply, 1, 1),
    )
  }

  async withdraw({ id, waitsFor }: Edge): Promise<void> {
    const key = this.#keyOf(waitsFor)
    await this.link.send(key, { command: 'HDEL', lockName: waitsFor.name }, 'HDEL', key, id)
  }

  of(lock: LockRole, id?: string): Promise<readonly SeenEdge[]> {
    return this.#at(this.#keyOf(lock), lock.name, id)
  }

  async *list(): AsyncIterable<SeenEdge> {
    // The key of a lock with another prefix is not the one that its name gives.
    for (const prefix of [BESIDE_LOCKS, BESIDE_READ_WRITE_LOCKS])
      for await (const key of scanMatching(this.link, `${prefix}:*`, 'hash'))
        for (const edge of await this.#readable(key)) if (this.#keyOf(edge.waitsFor) === key) yield edge
  }

  /** The edges at that key; none if this user may not read it, or another program uses it. */
  async #readable(key: string): Promise<readonly SeenEdge[]> {
    try {
      return await this.#at(key)
    } catch (error) {
      if (error instanceof StoreError && ['permission', 'wrong-type'].includes(error.reason)) return []
      throw error
    }
  }

  #at(key: string, lockName = key, id = ''): Promise<readonly SeenEdge[]> {
    return runScript(this.link, edgeList, key, lockName, [MOST_EDGES_READ, id], (reply) =>
      pairsIn(listIn(reply))
        .map(([since, text]) => edgeIn(textIn(text), Number(textIn(since))))
        .filter((edge) => edge !== undefined),
    )
  }

  #keyOf({ kind, name }: LockRole): string {
    return companionOf(kind === 'lock' ? BESIDE_LOCKS : BESIDE_READ_WRITE_LOCKS, this.keyPrefix + name)
  }
}
