import type { CountDownLatchPort } from '../../port/kind-ports.js'
import type {
  AcquireReply,
  AcquireRequest,
  LockState,
  News,
  ReleaseReply,
  RenewRequest,
  Watch,
} from '../../port/lock-port.js'
import { type Answered, anAnswer, answeredWith, forgottenAt, once } from './answered-requests.js'
import { wayOf } from './letters.js'
import { enlist, Listeners } from './listeners.js'
import { aCount, aListOf, aText, jsonIn, partsOf, type Read } from './parts.js'
import type { RowClient } from './row-client.js'
import { RowPort } from './row-port.js'
import type { Draft } from './rows.js'
import { NO_ROW, restOf, type Shape } from './shape.js'
import type { Told } from './told.js'

/** A latch as its row keeps it: open when the count is 0. */
interface LatchBody {
  count: number
  readonly answered: Answered<boolean | number>
  readonly listeners: string[]
}

const aRest: Read<Partial<LatchBody>> = partsOf(
  {},
  { count: aCount, answered: answeredWith(anAnswer), listeners: aListOf(aText) },
)

const latches: Shape<LatchBody> = {
  keyspace: 'latch',
  blank: () => ({ count: 0, answered: {}, listeners: [] }),
  pack: (body) => {
    const { count, answered, listeners } = body
    const parts = {
      ...(count > 0 && { count }),
      ...(Object.keys(answered).length > 0 && { answered }),
      ...(listeners.length > 0 && { listeners }),
    }
    return {
      ...NO_ROW,
      holds: count,
      endsAt: count > 0 ? Infinity : undefined,
      waiting: listeners,
      rest: restOf(parts, count > 0 || listeners.length > 0 ? Infinity : forgottenAt(answered)),
    }
  },
  unpack: ({ rest }) => {
    const { count = 0, answered = {}, listeners = [] } = rest === undefined ? {} : jsonIn(rest, 'rest', aRest)
    return { count, answered, listeners }
  },
}

/** The count-down latches of one client. */
export class RowLatchPort extends RowPort<LatchBody, Draft<LatchBody>> implements CountDownLatchPort {
  constructor(client: RowClient) {
    super(client, latches)
  }

  async acquire({ name, waits }: AcquireRequest): Promise<AcquireReply> {
    return await this.change(name, ({ body }): AcquireReply => {
      if (body.count === 0) return { outcome: 'granted', room: Infinity }
      const { id, letters } = this.client
      // Lists only a client that listens: a call may leave before it listens, and nothing would take its client off the list.
      if (waits && letters.awaits(latches.keyspace, name)) enlist(body.listeners, id)
      return { outcome: 'busy', remainingMs: Infinity, holder: undefined }
    })
  }

  async abandon(): Promise<void> {}

  async release(): Promise<ReleaseReply> {
    return 'released'
  }

  renew(requests: readonly RenewRequest[]): readonly Promise<boolean>[] {
    return requests.map(async () => true)
  }

  watch(name: string, onNews: (news?: News) => void): Watch {
    return this.client.listen(name, latches, onNews)
  }

  async inspect(name: string): Promise<LockState> {
    const closed = (await this.count(name)) > 0
    return { name, owners: [], remainingMs: closed ? Infinity : 0 }
  }

  async forceUnlock(name: string): Promise<boolean> {
    return await this.change(name, (draft) => open(name, draft))
  }

  /** Nobody holds a latch. */
  override async *list(): AsyncIterable<LockState> {}

  async trySetCount(name: string, count: number, request: string): Promise<boolean> {
    const set = await this.#once(name, request, (draft) => {
      if (draft.body.count > 0) return false
      draft.body.count = count
      announce(name, draft, { became: 'changed' })
      return true
    })
    return set === true
  }

  async countDown(name: string, request: string): Promise<number> {
    const left = await this.#once(name, request, (draft) => {
      if (draft.body.count > 1) draft.body.count -= 1
      else open(name, draft)
      return draft.body.count
    })
    return Number(left)
  }

  async count(name: string): Promise<number> {
    return await this.look(name, ({ body }) => body.count)
  }

  async delete(name: string, request: string): Promise<boolean> {
    return (await this.#once(name, request, (draft) => open(name, draft))) === true
  }

  protected lockIn(_name: string, draft: Draft<LatchBody>): Draft<LatchBody> {
    return draft
  }

  protected waiting({ body }: Draft<LatchBody>): number {
    return body.listeners.length
  }

  protected passOn(): void {}

  /** The outcome of the request, the same if it comes twice. */
  #once(
    name: string,
    request: string,
    carryOut: (draft: Draft<LatchBody>) => boolean | number,
  ): Promise<boolean | number> {
    return this.change(name, (draft) => once(draft.body.answered, draft.now, request, () => carryOut(draft)))
  }
}

/** Opens the latch and tells all waiters. Returns whether it was closed. */
function open(name: string, draft: Draft<LatchBody>): boolean {
  const { body } = draft
  if (body.count === 0) return false
  body.count = 0
  announce(name, draft, { became: 'open' })
  return true
}

function announce(name: string, draft: Draft<LatchBody>, told: Told): void {
  new Listeners(draft.body.listeners, wayOf(draft, latches.keyspace, name)).announce(told)
}
