import type { LockRole } from '../../base/errors/deadlock-error.js'
import {
  type Edge,
  type EdgesPort,
  lockKeyOf,
  MOST_EDGES_READ,
  type SeenEdge,
} from '../../port/edges-port.js'
import { aFlag, aListOf, anOwner, aText, aTextThat, aTime, jsonIn, partsOf, type Read } from './parts.js'
import type { RowClient } from './row-client.js'
import type { Draft } from './rows.js'
import { NO_ROW, restOf, type Shape } from './shape.js'

/** The most edges beside one lock: each new one writes the whole row again. */
const MOST_KEPT = 1_000

/** An edge, and until when it counts. */
interface LeftEdge extends SeenEdge {
  readonly until: number
}

/** The edges beside one lock, the oldest first. */
interface EdgesBody {
  edges: LeftEdge[]
}

const aKind = aTextThat(
  'a kind of lock',
  (text): text is LockRole['kind'] => text === 'lock' || text === 'read lock' || text === 'write lock',
)

const anEdge: Read<LeftEdge> = partsOf(
  {
    id: aText,
    owner: anOwner,
    waitsFor: partsOf({ kind: aKind, name: aText }, {}),
    holds: aListOf(partsOf({ kind: aKind, name: aText, storedAs: anOwner }, { takenAt: aText })),
    rejects: aFlag,
    since: aTime,
    until: aTime,
  },
  { waitsAt: aText },
)

const aRest = partsOf({}, { edges: aListOf(anEdge) })

/** A row for each lock, named as `lockKeyOf` does. */
const besideLocks: Shape<EdgesBody> = {
  keyspace: 'edges',
  blank: () => ({ edges: [] }),
  pack: ({ edges }) => ({
    ...NO_ROW,
    rest: restOf(edges.length > 0 ? { edges } : {}, Math.max(0, ...edges.map(({ until }) => until))),
  }),
  unpack: ({ rest }) => {
    const { edges = [] } = rest === undefined ? {} : jsonIn(rest, 'rest', aRest)
    return { edges }
  },
}

/** Edges of one client, as rows. */
export class RowEdgesPort implements EdgesPort {
  constructor(private readonly client: RowClient) {}

  async leave(edge: Edge, waitedMs: number, lifeMs: number): Promise<void> {
    await this.client.change(besideLocks, lockKeyOf(edge.waitsFor), ({ body, now }) => {
      const edges = standing({ body, now })
      const at = edges.findIndex(({ id }) => id === edge.id)
      const since = edges[at]?.since ?? Math.round(now - waitedMs)
      edges.splice(at < 0 ? edges.length : at, 1, { ...edge, since, until: now + lifeMs })
      body.edges = edges.slice(0, MOST_KEPT)
    })
  }

  async withdraw({ id, waitsFor }: Edge): Promise<void> {
    await this.client.change(besideLocks, lockKeyOf(waitsFor), ({ body }) => {
      body.edges = body.edges.filter((edge) => edge.id !== id)
    })
  }

  async of(lock: LockRole, wanted?: string): Promise<readonly SeenEdge[]> {
    const edges = await this.#at(lockKeyOf(lock))
    return edges.filter(({ id }) => (wanted ?? id) === id).slice(0, MOST_EDGES_READ)
  }

  async *list(): AsyncIterable<SeenEdge> {
    for await (const key of this.client.names(besideLocks.keyspace, '*')) yield* await this.#at(key)
  }

  #at(key: string): Promise<readonly SeenEdge[]> {
    return this.client.look(besideLocks, key, (draft) => standing(draft).map(({ until: _, ...edge }) => edge))
  }
}

/** The edges that still count. */
function standing({ body, now }: Pick<Draft<EdgesBody>, 'body' | 'now'>): LeftEdge[] {
  return body.edges.filter(({ until }) => until > now)
}
