import { LinkedSet } from '../../base/collections/linked-set.js'
import { Tenure } from '../tenure/tenure.js'
import { LocalQueue } from './local-queue.js'

/**
 * Most processes use few names again and again, and to make a queue is a tenth of an acquisition: so many are kept that nobody
 * stands at.
 */
const QUIET_QUEUES_KEPT = 256

/** The queues of one kind of lock, by the names of the locks. */
export class Queues {
  /** Of a lock that is held, and at which nobody has stood for long, only the tenure is kept: a queue is made again when one is asked for. */
  readonly #of = new Map<string, LocalQueue | Tenure>()
  /** The latest at which nobody stands, whether their lock is held or not; the longest quiet first. */
  readonly #quiet = new LinkedSet<LocalQueue>()

  constructor(private readonly client: ConstructorParameters<typeof LocalQueue>[1]) {}

  /** How many queues somebody stands at, or has the lock of. */
  get busy(): number {
    const idle = [...this.#quiet].filter(({ held }) => !held)
    return this.#of.size - idle.length
  }

  get(name: string): LocalQueue | undefined {
    const known = this.#of.get(name)
    if (!(known instanceof Tenure)) return known
    const queue = this.#made(name)
    queue.tenures.began(known)
    this.keepQuiet(queue)
    return queue
  }

  /** Where the calls for that lock meet; one is about to come. */
  at(name: string): LocalQueue {
    const queue = this.get(name) ?? this.#made(name)
    this.#quiet.delete(queue)
    return queue
  }

  /** Whether it is still the one of its lock. From now on it counts as one that somebody stands at. */
  stir(queue: LocalQueue): boolean {
    this.#quiet.delete(queue)
    return this.#of.get(queue.name) === queue
  }

  /** Nobody stands there, and there is nothing to remember but what is held. */
  keepQuiet(queue: LocalQueue): void {
    this.#quiet.add(queue)
    const oldest = this.#quiet.size > QUIET_QUEUES_KEPT ? this.#quiet.first : undefined
    if (!oldest || !this.#quiet.delete(oldest)) return
    const tenure = oldest.tenures.any
    if (!tenure) this.drop(oldest)
    // What is being released may yet be passed on there.
    else if (tenure.state === 'held') this.#of.set(oldest.name, tenure)
  }

  drop({ name }: LocalQueue): void {
    this.#of.delete(name)
  }

  *[Symbol.iterator](): Iterator<LocalQueue> {
    for (const known of this.#of.values()) if (known instanceof LocalQueue) yield known
  }

  #made(name: string): LocalQueue {
    const queue = new LocalQueue(name, this.client)
    this.#of.set(name, queue)
    return queue
  }
}
