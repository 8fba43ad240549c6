import type { AcquireReply, AcquireRequest, BatchPort } from '../../../port/lock-port.js'
import type { Link } from '../connection/link.js'
import { slotOf } from '../keys/slot.js'
import { listIn, ownerIn, timeIn, timeLeft } from '../scripts/replies.js'
import { runScript, type Script } from '../scripts/script.js'
import { multiAcquire, multiAcquireOne } from '../scripts/scripts.generated.js'

/** Several reentrant locks of one slot, asked for with one script. */
export class MultiAcquire implements BatchPort {
  constructor(
    private readonly link: Link,
    private readonly keyPrefix: string,
    /** To await before the first grant; undefined if there is nothing to await. */
    private readonly ready: () => Promise<unknown> | undefined,
  ) {}

  /** The slot; a single server has only one place. */
  placeOf(name: string): number {
    return this.link.publishCommand === 'SPUBLISH' ? slotOf(this.keyPrefix + name) : 0
  }

  acquireAll(requests: readonly AcquireRequest[]): Promise<readonly AcquireReply[]> {
    return this.#acquire(multiAcquire, requests)
  }

  acquireOne(requests: readonly AcquireRequest[]): Promise<readonly AcquireReply[]> {
    return this.#acquire(multiAcquireOne, requests)
  }

  async #acquire(script: Script, requests: readonly AcquireRequest[]): Promise<readonly AcquireReply[]> {
    const [first, ...others] = requests
    if (!first) return []
    await this.ready()
    const keys = [this.keyPrefix + first.name, ...others.map(({ name }) => this.keyPrefix + name)] as const
    const args = [first.leaseMs, ...requests.map(({ owner }) => owner)]
    return await runScript(this.link, script, keys, first.name, args, (reply) => {
      return listIn(reply, requests.length, requests.length).map(replyOf)
    })
  }
}

function replyOf(answer: unknown): AcquireReply {
  if (answer === 1) return { outcome: 'granted' }
  // The lock is free; this batch did not take it.
  if (answer === 0) return { outcome: 'busy', remainingMs: 0, holder: undefined }
  // A nil at the end is none of the list.
  const [left, holder, since] = listIn(answer, 2, 3)
  return { outcome: 'busy', remainingMs: timeLeft(left), holder: ownerIn(holder), heldSince: timeIn(since) }
}
