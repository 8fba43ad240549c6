import { Owners } from '../../src/base/identity/owner.js'
import type { Clock } from '../../src/base/time/clock.js'
import { Schedule } from '../../src/base/time/schedule.js'
import type { KindTraits } from '../../src/core/kind.js'
import { Locker } from '../../src/core/locker.js'
import type { CoreSettings } from '../../src/core/services.js'
import type { AcquireReply, AcquireRequest } from '../../src/port/lock-port.js'
import type { ScriptedPort } from './scripted-port.js'
import { settle } from './scripted-port.js'
import { servicesOn } from './services.js'

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
    settings: Partial<CoreSettings> = {},
    kind?: KindTraits,
  ) {
    this.schedule = new Schedule(clock, (error) => this.errors.push(error))
    const services = servicesOn(
      port,
      this.schedule,
      (event, ...[payload]) => {
        if (event === 'lost' && payload instanceof Object && 'name' in payload) this.lost.push(payload.name)
        if (event === 'error') this.errors.push(payload)
      },
      settings,
      kind,
    )
    this.locker = new Locker({ ...services, newOwner: () => this.owners.next() })
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
