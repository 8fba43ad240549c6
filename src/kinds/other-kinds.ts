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
    const { otherSide, rivals } = this
    // Where the store itself has just said so, no rival has the lock.
    if (!handedOver) for (const rival of rivals) loseAll(rival, heldIn(rival, tenure.name))
    if (!otherSide) return
    for (const other of heldIn(otherSide, tenure.name)) {
      if (other.storedAs !== tenure.storedAs) loseAll(otherSide, [other])
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

  standing(name: string): () => void {
    const before = this.rivals.map((rival) => [rival, rival.tenuresOf(name)] as const)
    return () => {
      for (const [rival, tenures] of before) loseAll(rival, tenures)
    }
  }
}

function sectionIn({ queues, tenures }: Environment, name: string, caller: Scope): Tenure | undefined {
  const queue = queues.get(name)
  const tenure = queue && tenures.current(queue, caller.owner)
  return tenure?.isSectionOf(caller) ? tenure : undefined
}

function heldIn(env: Environment, name: string): readonly Tenure[] {
  return env.tenuresOf(name).filter(({ state }) => state === 'held')
}

function loseAll({ tenures }: Environment, all: readonly Tenure[]): void {
  for (const tenure of all) tenures.lose(tenure, 'not-in-store', undefined)
}
