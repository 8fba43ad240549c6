import type { AcquireReply, AcquireRequest, News, Watch } from '../../port/lock-port.js'
import { RowLatchPort } from '../rows/latch-port.js'
import type { RowClient } from '../rows/row-client.js'
import { CellWaits } from './cell-waits.js'
import type { Places } from './places.js'

/** Count-down latches on a server with sessions: a row each, which those who wait watch. */
export class SessionLatchPort extends RowLatchPort {
  readonly #waits: CellWaits

  constructor(client: RowClient, places: Places) {
    super(client)
    this.#waits = new CellWaits(places)
  }

  override get polls(): undefined {
    return undefined
  }

  override async acquire(request: AcquireRequest): Promise<AcquireReply> {
    const reply = await super.acquire(request)
    if (reply.outcome === 'busy' && request.waits) await this.#waits.show(request.name)
    return reply
  }

  override watch(name: string, onNews: (news?: News) => void): Watch {
    return this.#waits.watch(name, onNews)
  }

  override async countWatchers(name: string): Promise<number> {
    return await this.#waits.count(name)
  }
}
