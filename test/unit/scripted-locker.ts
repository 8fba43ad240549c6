import { Owners, type Scope } from '../../src/base/identity/owner.js'
import { Schedule } from '../../src/base/time/schedule.js'
import type { Call } from '../../src/core/acquire/call.js'
import { Locker } from '../../src/core/locker.js'
import type { KindTraits } from '../../src/core/queue/local-queue.js'
import type { CoreSettings } from '../../src/core/services.js'
import { HoldRecord } from '../../src/core/tenure/tenure.js'
import { AcquireAll, type Terms } from '../../src/kinds/several/acquire-all.js'
import { AcquireAny } from '../../src/kinds/several/acquire-any.js'
import type { AcquireReply, AcquireRequest } from '../../src/port/lock-port.js'
import { VirtualClock } from '../../src/stores/memory/index.js'
import { callFrom, root } from './scenery.js'
import { GRANTED, type ScriptedPort, settle } from './scripted-port.js'
import { servicesOn } from './services.js'

/** What is left of calls that have ended. */
export const NOTHING_LEFT = { gates: 0, calls: 0, tenures: 0, orphans: 0 }

interface Settings extends Partial<CoreSettings> {
  readonly clock?: VirtualClock
  readonly kind?: KindTraits
}

/** One kind of lock of one client, on a store that does nothing by itself. */
export class ScriptedLocker<Port extends ScriptedPort = ScriptedPort> {
  readonly owners = new Owners()
  readonly errors: unknown[] = []
  /** Locks that were lost. */
  readonly lost: string[] = []
  readonly clock: VirtualClock
  readonly schedule: Schedule
  readonly locker: Locker
  #answered = 0

  constructor(
    readonly port: Port,
    { clock = new VirtualClock(), kind, ...settings }: Settings = {},
  ) {
    this.clock = clock
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

  scope(): Scope {
    return root(this.owners.next())
  }

  /** A call for the lock, by default of an owner that has nothing else. */
  acquire(terms?: Partial<Call>, scope = this.scope()): ReturnType<Locker['acquire']> {
    return this.locker.acquire(callFrom(scope, terms))
  }

  /** A hold of it, which the store grants. */
  async held(terms?: Partial<Call>, scope = this.scope()): Promise<HoldRecord> {
    const acquiring = this.acquire(terms, scope)
    await this.answer(() => GRANTED)
    const grant = await acquiring
    if (!(grant instanceof HoldRecord)) throw new Error('it was not granted')
    return grant
  }

  /** A call for all of these locks. */
  all(names: readonly string[], terms?: Partial<Terms>): ReturnType<AcquireAll['run']> {
    const members = names.map((name) => ({ name, locker: this.locker, place: 0, polls: undefined }))
    return new AcquireAll(members, this.#termsOf(terms), () => this.clock.now()).run()
  }

  /** A call for any of so many locks, which are called by their numbers. */
  any(count: number, terms?: Partial<Terms>): ReturnType<AcquireAny['run']> {
    return new AcquireAny(this.locker, String, count, this.#termsOf(terms)).run()
  }

  #termsOf(terms?: Partial<Terms>): Terms {
    const { name: _, ...call } = callFrom(this.scope(), terms)
    return call
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
