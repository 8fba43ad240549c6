import type { Kind } from '../kinds/kinds.js'
import * as kinds from '../kinds/kinds.js'
import type { LockPort, LockState } from '../port/lock-port.js'
import type { StoreSession } from '../port/store.js'
import type { StoreTraits } from '../port/store-traits.js'
import { atOnce, type Catalogue, type Listing, lookAtEach, type Pace, type Seen } from './catalogue.js'
import { exitCodes } from './exit-codes.js'
import { CliError } from './failure.js'
import type { Family } from './family.js'
import { type Holder, isLocked, type LockView, type Mode } from './lock-view.js'

/** What it takes to see one of them: two questions to four, and the list's own. */
const COMMANDS = 5

/** The locks of one sort: where they are listed, and how one of them is seen. */
interface Sort {
  readonly ports: readonly LockPort[]
  see(name: string): Promise<LockView | undefined>
}

/** The locks of any store, by what its ports tell: each kind that it has is asked. */
export class StoreCatalogue implements Catalogue {
  readonly #sorts: readonly Sort[]

  constructor(
    private readonly family: Family,
    session: StoreSession,
    private readonly traits: StoreTraits,
  ) {
    const { lock, readWriteLock, semaphore, permitExpirableSemaphore, countDownLatch } = session
    const sorts: ReadonlyArray<readonly [ports: ReadonlyArray<LockPort | undefined>, see: Sort['see']]> = [
      [[lock], (name) => this.#lock(name)],
      [[readWriteLock?.read, readWriteLock?.write], (name) => this.#readWriteLock(name)],
      [[semaphore], (name) => this.#semaphore(name)],
      [[permitExpirableSemaphore], (name) => this.#permits(name)],
      [[countDownLatch], (name) => this.#latch(name)],
    ]
    this.#sorts = sorts
      .map(([ports, see]) => ({ ports: ports.filter((port) => port !== undefined), see }))
      .filter(({ ports }) => ports.length > 0)
  }

  async look(name: string): Promise<readonly LockView[]> {
    const views = await this.#seen(name)
    return await Promise.all(views.map((view) => (view.lingers ? this.family.asked(view) : view)))
  }

  async #seen(name: string): Promise<readonly LockView[]> {
    const views = await Promise.all(this.#sorts.map(({ see }) => see(name)))
    const there = views.filter((view) => view !== undefined)
    if (there.length > 0) return there
    const waitingClients = await this.family.countWaiting(kinds.lock, name)
    return [{ name, kind: undefined, owners: [], remainingMs: 0, waitingClients }]
  }

  async lookAtAll(names: readonly string[], pace: Pace, seen: Seen): Promise<void> {
    await lookAtEach({ look: (name) => this.#seen(name) }, names, pace, seen)
  }

  held(pattern: string, pace = atOnce): Listing {
    if (!this.traits.lists)
      throw new CliError(
        exitCodes.usage,
        'NOT_LISTED',
        'This store cannot list its locks. Ask for one by its name: holdfast inspect NAME.',
      )
    return { unreadable: 0, [Symbol.asyncIterator]: () => this.#held(pattern, pace) }
  }

  async hasPermits(name: string): Promise<boolean> {
    return (await this.#semaphore(name)) !== undefined
  }

  async *#held(pattern: string, pace: Pace): AsyncGenerator<LockView> {
    for (const { ports, see } of this.#sorts) {
      const seen = new Set<string>()
      for (const port of ports) {
        for await (const name of this.family.heldIn(port, pattern)) {
          if (seen.has(name)) continue
          seen.add(name)
          await pace(COMMANDS)
          const view = await see(name)
          if (view && isLocked(view)) yield view
        }
      }
    }
  }

  async #lock(name: string): Promise<LockView | undefined> {
    const [state, fence, waitingClients] = await Promise.all([
      this.family.seen(kinds.lock, name),
      this.family.lastFence(name),
      this.family.countWaiting(kinds.lock, name),
    ])
    if (!isLocked(state) && !waitingClients) return undefined
    // These stores give each tenure a token, whether or not its holder asks for one: so it tells no fenced lock from another.
    return {
      ...state,
      kind: 'lock',
      waitingClients,
      ...(fence !== undefined && { fence: String(fence) }),
    }
  }

  async #readWriteLock(name: string): Promise<LockView | undefined> {
    const [readers, writers, waitingClients] = await Promise.all([
      this.family.inspect(kinds.readLock, name),
      this.family.inspect(kinds.writeLock, name),
      this.family.countWaiting(kinds.readLock, name),
    ])
    const held = (state: LockState, mode: Mode): Holder[] => state.owners.map((each) => ({ ...each, mode }))
    const owners = [...held(writers, 'write'), ...held(readers, 'read')]
    if (owners.length === 0 && !waitingClients) return undefined
    const remainingMs = Math.max(readers.remainingMs, writers.remainingMs)
    return { name, kind: 'read-write lock', owners, remainingMs, mode: owners[0]?.mode, waitingClients }
  }

  async #semaphore(name: string): Promise<LockView | undefined> {
    const available = await this.family.semaphore(name).availablePermits()
    return await this.#withPermits(name, kinds.semaphore, 'semaphore', available)
  }

  async #permits(name: string): Promise<LockView | undefined> {
    const available = await this.family.permitExpirableSemaphore(name).availablePermits()
    return await this.#withPermits(
      name,
      kinds.permitExpirableSemaphore,
      'permit-expirable semaphore',
      available,
    )
  }

  async #withPermits(
    name: string,
    kind: Kind,
    shown: 'semaphore' | 'permit-expirable semaphore',
    available: number,
  ): Promise<LockView | undefined> {
    const [state, waitingClients] = await Promise.all([
      this.family.inspect(kind, name),
      this.family.countWaiting(kind, name),
    ])
    if (available === 0 && state.owners.length === 0 && !waitingClients) return undefined
    return { ...state, kind: shown, available, waitingClients }
  }

  async #latch(name: string): Promise<LockView | undefined> {
    const [count, waitingClients] = await Promise.all([
      this.family.countDownLatch(name).count(),
      this.family.countWaiting(kinds.countDownLatch, name),
    ])
    if (count === 0 && !waitingClients) return undefined
    const remainingMs = count > 0 ? Infinity : 0
    return { name, kind: 'count-down latch', owners: [], remainingMs, count, waitingClients }
  }
}
