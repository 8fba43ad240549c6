import { Locker } from '../../src/core/locker.js'
import { StoreError } from '../../src/errors/errors.js'
import { Owners } from '../../src/identity/owner.js'
import { lock } from '../../src/kinds/kinds.js'
import { Metrics } from '../../src/metrics/metrics.js'
import type { AcquireReply, AcquireRequest } from '../../src/ports/store.js'
import type { Clock } from '../../src/time/clock.js'
import { Schedule } from '../../src/time/schedule.js'
import { type ScriptedPort, settle } from './scripted-port.js'

const SETTINGS = {
  watchdogMs: 30_000,
  storeTimeoutMs: 10_000,
  maxWaiters: Number.POSITIVE_INFINITY,
  warnAfterMs: 10_000,
  diagnostics: false,
  maxHandOvers: 0,
  handOverSliceMs: 0,
  quarantineMs: 0,
}

/** One kind of lock of one client, on a store that does nothing by itself. */
export class ScriptedLocker {
  readonly owners = new Owners()
  readonly errors: unknown[] = []
  /** Locks that were lost. */
  readonly lost: string[] = []
  readonly schedule: Schedule
  readonly locker: Locker
  #answered = 0

  constructor(
    readonly port: ScriptedPort,
    clock: Clock,
    settings: Partial<typeof SETTINGS> = {},
  ) {
    this.schedule = new Schedule(clock, (error) => this.errors.push(error))
    this.locker = new Locker(
      lock,
      port,
      this.schedule,
      (event, ...[payload]) => {
        if (event === 'lost' && payload instanceof Object && 'name' in payload) this.lost.push(payload.name)
        if (event === 'error') this.errors.push(payload)
      },
      () => false,
      { ...SETTINGS, ...settings },
      () => new StoreError('timeout', 'acquire', { transient: true }),
      () => this.owners.next(),
      new Metrics(),
      () => false,
    )
  }

  /** Answers the acquires that were sent since the last time, in order; lets the answers be heard. */
  async answer(reply: (request: AcquireRequest) => AcquireReply): Promise<readonly AcquireRequest[]> {
    await settle()
    const sent = this.port.acquires.all.slice(this.#answered)
    this.#answered += sent.length
    for (const each of sent) each.answer(reply(each.request))
    await settle()
    return sent.map(({ request }) => request)
  }

  /** Answers whatever was sent to end holds. */
  async freeAll(): Promise<readonly string[]> {
    await settle()
    const releases = this.port.releases.all.splice(0)
    for (const each of releases) each.answer('released')
    const abandons = this.port.abandons.all.splice(0)
    for (const each of abandons) each.answer()
    await settle()
    return [...releases, ...abandons].map(({ request }) => request.name).sort()
  }
}
