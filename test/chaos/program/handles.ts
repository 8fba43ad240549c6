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
    switch (target.kind) {
      case 'multi':
        return holdfast.multiLock(target.names.map((name) => this.lock(name)))
      case 'read':
        return holdfast.readWriteLock(target.name).readLock()
      case 'write':
        return holdfast.readWriteLock(target.name).writeLock()
      case 'semaphore':
        return holdfast.semaphore(target.name)
      case 'permits':
        return holdfast.permitExpirableSemaphore(target.name)
      case 'striped': {
        const striped = holdfast.stripedLock(target.name, STRIPES)
        if (target.key !== undefined) return striped.forKey(target.key)
        return {
          withLock: (options, body) => striped.withAny(options, body),
          acquire: (options) => striped.acquireAny(options),
          tryAcquire: (options) => striped.tryAcquireAny(options),
        }
      }
      default:
        return this.lock(target.name)
    }
  }

  lock(name: string): Lock {
    const { holdfast } = this
    switch (this.#kindOf.get(name)) {
      case 'fenced':
        return holdfast.fencedLock(name)
      case 'fair':
        return holdfast.fairLock(name)
      case 'spin':
        return holdfast.spinLock(name, SPIN)
      default:
        return holdfast.lock(name)
    }
  }

  /** The names a step takes, what there is of each, and how much of it. */
  claim({ target }: SectionStep): { names: readonly string[]; room: number; takes: number } {
    switch (target.kind) {
      case 'multi':
        return { names: target.names, room: 1, takes: 1 }
      case 'read':
        return { names: [target.name], room: EVERYTHING, takes: 1 }
      case 'write':
        return { names: [target.name], room: EVERYTHING, takes: EVERYTHING }
      case 'semaphore':
      case 'permits':
        return { names: [target.name], room: PERMITS, takes: target.permits }
      case 'striped': {
        if (target.key === undefined) return { names: [], room: 1, takes: 1 }
        const { name } = this.holdfast.stripedLock(target.name, STRIPES).forKey(target.key)
        return { names: [name], room: 1, takes: 1 }
      }
      default:
        return { names: [target.name], room: 1, takes: 1 }
    }
  }
}
