import { leadsOut, outOfRange } from '../../port/permit-range.js'
import { once } from '../rows/answered-requests.js'
import type { RowClient } from '../rows/row-client.js'
import { writeOf } from './cell-table.js'
import { asOf, havingIn, lockOf, numberIn, type PermitNumber, permitNumbers, sumOf } from './permit-number.js'
import type { Places } from './places.js'
import { before, takersIn } from './turns.js'

/** The numbers of permits, as one client changes them. */
export class PermitNumbers {
  constructor(
    private readonly client: RowClient,
    protected readonly places: Places,
  ) {}

  trySetPermits(name: string, permits: number, request: string, ttlMs = Infinity): Promise<boolean> {
    return this.#change(name, request, (body, now) => {
      if (body.permits !== undefined) return false
      body.permits = permits
      body.goneAt = ttlMs === Infinity ? undefined : now + ttlMs
      return true
    })
  }

  async addPermits(name: string, delta: number, request: string): Promise<void> {
    await this.#add(name, delta, request, false)
  }

  addPermitsIfSet(name: string, delta: number, request: string): Promise<boolean> {
    return this.#add(name, delta, request, true)
  }

  /** Returns whether it did; not if it is only to be where a number was ever set. */
  async #add(name: string, delta: number, request: string, onlyIfSet: boolean): Promise<boolean> {
    const line = delta < 0 ? await this.places.link.read(lockOf(name)) : []
    return await this.#change(name, request, (body) => {
      if (onlyIfSet && body.permits === undefined) return false
      if (leadsOut(body.permits ?? 0, delta)) throw outOfRange(name, delta)
      const having = havingIn(line, body)
      body.permits = (body.permits ?? 0) + delta
      const fit = new Set(takersIn(line, body.permits))
      const kept = having.filter((entry) => !fit.has(entry)).map(({ key }) => key)
      body.kept = [...new Set([...(delta < 0 ? [] : body.kept), ...kept])]
      return true
    })
  }

  /** Takes all that nobody wants who came before. */
  async drainPermits(name: string, request: string): Promise<number> {
    for (;;) {
      const drained = await this.#tryToDrain(name, request)
      if (drained !== undefined) return drained
    }
  }

  /**
   * Keeps a place in line meanwhile, so that nobody behind it gets a permit before the number is the smaller one. Returns undefined if the
   * number has changed during the attempt, or the place is gone.
   */
  async #tryToDrain(name: string, request: string): Promise<number | undefined> {
    const { places } = this
    const { cells } = places.link
    const lock = lockOf(name)
    const owner = `${places.settings.clientId}:0` as const
    const all = { lock, owner, mode: 'read', permits: Number.MAX_SAFE_INTEGER } as const
    const place = places.open(all, () => undefined)
    const { key } = place
    // It waits for nothing.
    place.admitted = true
    try {
      const { line } = await places.stand(place)
      const cell = { space: 'semaphore', name } as const
      const seen = await cells.read(cell)
      const now = cells.now()
      const body = numberIn(seen, now)
      const { permits } = body
      if (permits === undefined) return 0
      const drained = once(body.answered, now, request, () => {
        const free = Math.max(permits - sumOf(before(line, key)), 0)
        body.permits = permits - free
        return free
      })
      const { version } = seen
      const write = { cell, version, whileStands: { lock, key }, ...writeOf(permitNumbers.pack(body), now) }
      return (await cells.write(write)) === undefined ? undefined : Number(drained)
    } finally {
      await places.drop(place)
    }
  }

  #change(
    name: string,
    request: string,
    carryOut: (body: PermitNumber, now: number) => boolean,
  ): Promise<boolean> {
    return this.client.change(permitNumbers, name, ({ body, now }) => {
      asOf(body, now)
      return once(body.answered, now, request, () => carryOut(body, now)) === true
    })
  }
}
