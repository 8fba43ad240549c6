import type { Hold, Holdfast, Lock, MultiHold, PermitsHold } from '../../../src/index.js'
import { EVERYTHING } from '../history/event.js'
import { PERMITS, type Resource, STRIPES } from './resource.js'
import type { SectionStep, Target } from './step.js'

export type AnyHold = Hold | MultiHold | PermitsHold

/** What all that is locked in one way or another has in common. */
interface Lockable {
  withLock(options: SectionOptions, body: (hold: AnyHold) => Promise<void>): Promise<void>
  acquire(options: SectionOptions): Promise<AnyHold>
  tryAcquire(options: SectionOptions): Promise<AnyHold | null>
  lock?(options: SectionOptions): Promise<void>
  tryLock?(options: SectionOptions): Promise<boolean>
  unlock?(): Promise<void>
}

export interface SectionOptions {
  waitMs?: number
  leaseMs?: number
  signal?: AbortSignal
  owner?: `${string}:${number}`
  permits?: number
}

const SPIN = { longestPauseMs: 20 }

export class Handles {
  readonly #kindOf: ReadonlyMap<string, Resource['kind']>

  constructor(
    private readonly holdfast: Holdfast,
    resources: readonly Resource[],
  ) {
    this.#kindOf = new Map(resources.map(({ name, kind }) => [name, kind]))
  }

  lockable(target: Exclude<Target, { kind: 'compute-once' }>): Lockable {
    const { holdfast } = this
    if (target.kind === 'multi') return holdfast.multiLock(target.names.map((name) => this.lock(name)))
    if (target.kind === 'read') return holdfast.readWriteLock(target.name).readLock()
    if (target.kind === 'write') return holdfast.readWriteLock(target.name).writeLock()
    if (target.kind === 'semaphore') return holdfast.semaphore(target.name)
    if (target.kind === 'permits') return holdfast.permitExpirableSemaphore(target.name)
    if (target.kind !== 'striped') return this.lock(target.name)
    const striped = holdfast.stripedLock(target.name, STRIPES)
    if (target.key !== undefined) return striped.forKey(target.key)
    return {
      withLock: (options, body) => striped.withAny(options, body),
      acquire: (options) => striped.acquireAny(options),
      tryAcquire: (options) => striped.tryAcquireAny(options),
    }
  }

  lock(name: string): Lock {
    const kind = this.#kindOf.get(name)
    if (kind === 'fenced') return this.holdfast.fencedLock(name)
    if (kind === 'fair') return this.holdfast.fairLock(name)
    return kind === 'spin' ? this.holdfast.spinLock(name, SPIN) : this.holdfast.lock(name)
  }

  /** The names a step takes, what there is of each, and how much of it. */
  claim({ target }: SectionStep): { names: readonly string[]; room: number; takes: number } {
    const one = { room: 1, takes: 1 }
    if (target.kind === 'multi') return { names: target.names, ...one }
    if (target.kind === 'striped') {
      if (target.key === undefined) return { names: [], ...one }
      return { names: [this.holdfast.stripedLock(target.name, STRIPES).forKey(target.key).name], ...one }
    }
    const names = [target.name]
    if (target.kind === 'read') return { names, room: EVERYTHING, takes: 1 }
    if (target.kind === 'write') return { names, room: EVERYTHING, takes: EVERYTHING }
    return 'permits' in target ? { names, room: PERMITS, takes: target.permits } : { names, ...one }
  }
}
