import { randomUUID } from 'node:crypto'
import type { Locker } from '../../core/locker.js'
import { applyOnce } from '../../kinds/acquiring/apply-once.js'
import type { CountDownLatchPort } from '../../port/kind-ports.js'
import type { Watch } from '../../port/lock-port.js'

/**
 * Tells observers that a term has begun or ended. The lock's own messages only go to clients in line. A latch's go to everybody who watches
 * it, in every store that pushes anything: so each change sets a latch and removes it again, which only says that there is something to
 * look at.
 */
export class Bell {
  constructor(
    private readonly name: string,
    private readonly locker: Locker,
    private readonly port: CountDownLatchPort,
  ) {}

  /** The event `error` reports failures: an observer that hears no bell looks by itself, if later. */
  async ring(): Promise<void> {
    const { name, locker, port } = this
    try {
      await applyOnce(locker, (request) => port.trySetCount(name, 1, request))
      await applyOnce(locker, () => port.delete(name, randomUUID()))
    } catch (error) {
      if (!locker.closed) locker.events.emit('error', error)
    }
  }

  /** Undefined in a store that pushes nothing. */
  hear(onRing: () => void): Watch | undefined {
    return this.port.polls ? undefined : this.port.watch(this.name, () => onRing())
  }
}
