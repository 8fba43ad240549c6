import type { Scheduler } from 'fast-check'
import { StoreError } from '../../src/base/errors/errors.js'
import type { Ensemble } from '../../src/stores/memory-session/ensemble.js'
import type { LinkListener } from '../../src/stores/session/link.js'
import { PassedLink } from './passed-link.js'

/** A way to the server on which each message is a step of its own, and some answers are lost. */
export class ScheduledLink extends PassedLink {
  constructor(
    ensemble: Ensemble,
    listener: LinkListener,
    private readonly scheduler: Scheduler,
    private readonly loses: () => boolean,
  ) {
    super(ensemble, listener)
  }

  protected override get ordered(): boolean {
    return false
  }

  protected async pass<Reply>(label: string, call: () => Promise<Reply>): Promise<Reply> {
    await this.scheduler.schedule(Promise.resolve(), `${label} arrives`)
    const reply = await call()
    await this.scheduler.schedule(Promise.resolve(), `${label} answers`)
    if (this.loses()) throw new StoreError('timeout', label, { transient: true })
    return reply
  }

  protected deliver(what: string, hear: () => void): void {
    void this.scheduler.schedule(Promise.resolve(), `news of ${what}`).then(hear)
  }
}
