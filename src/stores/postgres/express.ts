import { Turns } from '../../base/waiting/turns.js'
import type { StoreSettings } from '../../port/store.js'
import { clientOf, ownerOf } from '../line/place.js'
import { aText } from '../rows/parts.js'
import type { Express, Renewal, Standing, StandRequest, TakeRequest } from '../rows/rows.js'
import { WaitedFor } from '../rows/waited-for.js'
import { oneOf, only, tokenIn } from '../sql/connection.js'
import type { Connections } from '../sql/connections.js'
import { question } from '../sql/question.js'
import { isQueueFull } from './failure.js'
import type { NotifyQueue } from './notify-queue.js'
import { isDone, readStanding, readVersioned } from './row.js'
import type { SeenRows } from './seen-rows.js'
import { type Statements, textArray } from './statements.js'
import { storedName } from './stored-name.js'

/** How many leases one statement renews: it keeps others from those rows until it has renewed all. */
const BATCH = 200

/** Exclusive locks that nobody waits for, in one statement each. */
export class PostgresExpress implements Express {
  readonly #waitedFor = new WaitedFor()
  readonly #takes = new Turns()

  constructor(
    private readonly connections: Connections,
    private readonly statements: Statements,
    private readonly seen: SeenRows,
    private readonly queue: NotifyQueue,
    private readonly settings: Pick<StoreSettings, 'schedule' | 'commandTimeoutMs'>,
  ) {}

  /** Sends the requests for one lock one after the other, so that the line has calls in the order in which they came. */
  take(request: TakeRequest): Promise<bigint | undefined> {
    const { schedule, commandTimeoutMs } = this.settings
    const dueAt = schedule.clock.now() + commandTimeoutMs
    return this.#takes.take(request.name, () => this.#take(request, dueAt))
  }

  async free(name: string, owner: string, waitedFor = false): Promise<boolean> {
    const askedAt = this.settings.schedule.clock.now()
    const values = ['lock', storedName(name).name, owner]
    const passes = !this.queue.full && (waitedFor || this.#waitedFor.has(name))
    const asked = passes
      ? question(this.statements.pass, [...values, JSON.stringify(name)], 'free', name)
      : question(this.statements.free, values, 'free', name)
    try {
      return await this.connections.read(asked, (rows) => {
        const row = only(rows)
        if (oneOf(row, 'done', 't', 'f') === 't') {
          this.#waitedFor.saw(name, oneOf(row, 'next', 't', 'f') === 't')
          return true
        }
        const seen = readVersioned(row, askedAt)
        this.#waitedFor.saw(name, (seen.packed?.waiting.length ?? 0) > 0)
        this.seen.add(name, seen)
        return false
      })
    } catch (error) {
      if (!passes || !isQueueFull(error)) throw error
      this.queue.found(true)
      return false
    }
  }

  async stand({ name, place, firstLeaseMs, word }: StandRequest): Promise<Standing | undefined> {
    const askedAt = this.settings.schedule.clock.now()
    const client = clientOf(place)
    const values = ['lock', storedName(name).name, ownerOf(place), place, client, String(firstLeaseMs), word]
    const asked = question(this.statements.stand, values, 'stand', name)
    return await this.connections.read(asked, (rows) => readStanding(rows, askedAt))
  }

  renew(requests: readonly Renewal[]): readonly Promise<boolean>[] {
    // A row that somebody has locked must not hold up the others: the batch skips it, and a statement of its own renews it.
    if (requests.length === 1) return requests.map((request) => this.#renew(request))
    const batches: Array<Promise<ReadonlySet<string>>> = []
    for (let from = 0; from < requests.length; from += BATCH) {
      batches.push(this.#renewAll(requests.slice(from, from + BATCH)))
    }
    return requests.map(async (request, index) => {
      const renewed = await batches[Math.floor(index / BATCH)]
      return renewed?.has(keyOf(storedName(request.name).name, request.owner)) || this.#renew(request)
    })
  }

  #take({ name, owner, leaseMs }: TakeRequest, dueAt: number): Promise<bigint | undefined> {
    const stored = storedName(name)
    const askedAt = this.settings.schedule.clock.now()
    const values = ['lock', stored.name, owner, stored.fullName, String(leaseMs)]
    return this.connections.read(
      question(this.statements.take, values, 'take', name),
      (rows) => {
        const row = only(rows)
        if (oneOf(row, 'done', 't', 'f') === 't') return tokenIn(row)
        this.seen.add(name, readVersioned(row, askedAt))
        return undefined
      },
      dueAt - askedAt,
    )
  }

  #renew({ name, owner, leaseMs, withinMs }: Renewal): Promise<boolean> {
    const values = ['lock', storedName(name).name, owner, String(leaseMs)]
    return this.connections.read(question(this.statements.renew, values, 'renew', name), isDone, withinMs)
  }

  #renewAll(requests: readonly Renewal[]): Promise<ReadonlySet<string>> {
    const withinMs = Math.min(...requests.map((each) => each.withinMs ?? Infinity))
    const values = [
      'lock',
      textArray(requests.map(({ name }) => storedName(name).name)),
      textArray(requests.map(({ owner }) => owner)),
      textArray(requests.map(({ leaseMs }) => String(leaseMs))),
    ]
    return this.connections.read(
      question(this.statements.renewAll, values, 'renew'),
      (rows) => new Set(rows.map((row) => keyOf(aText(row['name'], 'name'), aText(row['owner'], 'owner')))),
      Number.isFinite(withinMs) ? withinMs : undefined,
    )
  }
}

function keyOf(name: string, owner: string): string {
  return JSON.stringify([name, owner])
}
