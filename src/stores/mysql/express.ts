import { Turns } from '../../base/waiting/turns.js'
import type { StoreSettings } from '../../port/store.js'
import type { Express, Renewal, TakeRequest } from '../rows/rows.js'
import { only, whole } from '../sql/connection.js'
import type { Connections } from '../sql/connections.js'
import { question } from '../sql/question.js'
import { isDone, leaseMicroseconds } from './row.js'
import { BATCH, type Statements } from './statements.js'
import { storedName } from './stored-name.js'

/** Exclusive locks with nothing else in their rows, in one statement each. */
export class MysqlExpress implements Express {
  readonly #takes = new Turns()

  constructor(
    private readonly connections: Connections,
    private readonly statements: Statements,
    private readonly settings: Pick<StoreSettings, 'schedule' | 'commandTimeoutMs'>,
  ) {}

  /** Sends the requests for one lock one after the other, so that a later call does not get the lock before an earlier one. */
  take(request: TakeRequest): Promise<bigint | undefined> {
    const { schedule, commandTimeoutMs } = this.settings
    const dueAt = schedule.clock.now() + commandTimeoutMs
    return this.#takes.take(request.name, () => this.#take(request, dueAt))
  }

  free(name: string, owner: string): Promise<boolean> {
    const values = [storedName(name).name, owner]
    return this.connections.read(question(this.statements.free, values, 'free', name), isDone)
  }

  renew(requests: readonly Renewal[]): readonly Promise<boolean>[] {
    const answers = new Map<Renewal, Promise<boolean>>()
    for (const batch of batchesOf(requests)) {
      const all = batch.length > 1 ? this.#renewAll(batch) : Promise.resolve(false)
      for (const each of batch)
        answers.set(
          each,
          all.then((done) => done || this.#renew(each)),
        )
    }
    return requests.map((request) => answers.get(request) ?? this.#renew(request))
  }

  /** Every tenure counts as one with a token here, so that the answer can tell a grant by its token. */
  async #take({ name, owner, leaseMs }: TakeRequest, dueAt: number): Promise<bigint | undefined> {
    const stored = storedName(name)
    const lease = leaseMicroseconds(leaseMs)
    const values = [stored.name, stored.fullName, owner, lease, owner, lease]
    const fence = await this.connections.read(
      question(this.statements.take, values, 'take', name),
      (rows) => whole(only(rows), 'insertId') ?? 0n,
      dueAt - this.settings.schedule.clock.now(),
    )
    return fence > 0n ? fence : undefined
  }

  #renew({ name, owner, leaseMs, withinMs }: Renewal): Promise<boolean> {
    const values = [leaseMicroseconds(leaseMs), storedName(name).name, owner]
    return this.connections.read(question(this.statements.renew, values, 'renew', name), isDone, withinMs)
  }

  /** Whether the server renewed all of them, to one lease. If not, the answer does not tell which. */
  async #renewAll(batch: readonly Renewal[]): Promise<boolean> {
    const withinMs = Math.min(...batch.map((each) => each.withinMs ?? Infinity))
    const leaseMs = batch[0]?.leaseMs ?? 0
    // One statement for batches of every size.
    const filled = Array.from({ length: BATCH }, (_, index) => batch[index % batch.length])
    const held = filled.flatMap((each) => (each ? [storedName(each.name).name, each.owner] : []))
    const renewed = await this.connections.read(
      question(this.statements.renewAll, [...held, leaseMicroseconds(leaseMs)], 'renew'),
      (rows) => whole(only(rows), 'affectedRows'),
      Number.isFinite(withinMs) ? withinMs : undefined,
    )
    return renewed === BigInt(batch.length)
  }
}

/** Renewals of one lease, so many at a time. */
function batchesOf(requests: readonly Renewal[]): Renewal[][] {
  const batches: Renewal[][] = []
  const open = new Map<number, Renewal[]>()
  for (const request of requests) {
    const started = open.get(request.leaseMs)
    const batch = started && started.length < BATCH ? started : []
    if (batch !== started) batches.push(batch)
    open.set(request.leaseMs, batch)
    batch.push(request)
  }
  return batches
}
