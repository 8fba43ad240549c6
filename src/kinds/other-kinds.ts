import type { Owner, Scope } from '../base/identity/owner.js'
import type { Environment } from '../core/environment.js'
import type { Kin } from '../core/kin.js'
import type { Locker } from '../core/locker.js'
import type { LocalQueue } from '../core/queue/local-queue.js'
import type { HoldRecord, Tenure } from '../core/tenure/tenure.js'

/** The two lock the same thing in the store, one for reading and one for writing. */
export function joinSides(locker: Locker, [other]: readonly Locker[]): void {
  if (!other) return
  locker.kin = new OtherKinds(other, [])
  locker.lifetime.otherSide = other.lifetime
}

/** They lock the same thing in the store: one owner has it, whichever kind it asked for. */
export function meetRivals(locker: Locker, others: readonly Locker[]): void {
  locker.kin = new OtherKinds(undefined, others)
}

class OtherKinds implements Kin {
  constructor(
    private readonly otherSide: Environment | undefined,
    private readonly rivals: readonly Environment[],
  ) {}

  around(name: string, caller: Scope): Tenure | undefined {
    return this.otherSide && sectionIn(this.otherSide, name, caller)
  }

  inRival(name: string, caller: Scope): Tenure | undefined {
    for (const rival of this.rivals) {
      const section = sectionIn(rival, name, caller)
      if (section) return section
    }
    return undefined
  }

  uses(name: string, owner: Owner): boolean {
    const others = this.otherSide ? [this.otherSide] : this.rivals
    return others.some((env) => env.uses(name, owner))
  }

  granted({ tenure, handedOver }: HoldRecord): void {
    // Where the store itself has just said so, no rival has the lock.
    const rivals = handedOver ? [] : this.tenuresOf(tenure.name)
    for (const rival of rivals) if (rival.state === 'held') rival.lose()
    if (!this.otherSide) return
    for (const other of this.otherSide.tenuresOf(tenure.name)) {
      if (other.state !== 'held') continue
      if (other.storedAs !== tenure.storedAs) other.lose()
      else {
        tenure.beside = other
        other.beside = tenure
      }
    }
    this.changed(tenure)
  }

  changed(tenure: Tenure): void {
    const queue = this.otherQueue(tenure.name)
    if (!queue) return
    if (tenure.state === 'held') for (const waiter of queue.waiters.admittedBy(tenure)) waiter.wake()
    if (tenure.beside?.state === 'held') queue.policy.wakeNext(tenure.owner)
  }

  otherQueue(name: string): LocalQueue | undefined {
    return this.otherSide?.queues.get(name)
  }

  tenuresOf(name: string): readonly Tenure[] {
    return this.rivals.flatMap((rival) => rival.tenuresOf(name))
  }
}

function sectionIn({ queues, tenures }: Environment, name: string, caller: Scope): Tenure | undefined {
  const queue = queues.get(name)
  const tenure = queue && tenures.current(queue, caller.owner)
  return tenure?.isSectionOf(caller) ? tenure : undefined
}
