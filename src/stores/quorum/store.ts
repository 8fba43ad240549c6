import { invalidNumber } from '../../base/checks/checks.js'
import type { Clock } from '../../base/time/clock.js'
import { PORT_VERSION, type Store, type StoreSession, type StoreSettings } from '../../port/store.js'
import type { StoreTraits } from '../../port/store-traits.js'
import { QuorumLockPort } from './lock-port.js'
import { Mark } from './mark.js'
import { Member, type MemberStore } from './member.js'

/** Options of {@link quorum}, checked. */
export interface QuorumSettings {
  /** Undefined: the default, or half of the command timeout if that is shorter. */
  readonly serverTimeoutMs: number | undefined
  readonly restartGuardMs: number
}

/** Small against the usual lease of 30 s, and enough for a server a continent away. */
const USUAL_SERVER_TIMEOUT_MS = 200

export const quorumTraits: Partial<StoreTraits> = { fifo: false, lingers: false, kinds: ['lock'] }

/** Locks on several independent servers, held by the owner that a majority of them has granted it to. */
export class QuorumStore implements Store {
  readonly clock?: Clock
  readonly traits: Partial<StoreTraits>
  readonly portVersion: number

  constructor(
    private readonly members: readonly MemberStore[],
    private readonly settings: QuorumSettings,
  ) {
    const stores = members.map(({ store }) => store)
    this.traits = { ...quorumTraits, lists: stores.every(({ traits }) => traits?.lists ?? true) }
    const versions = stores.map(({ portVersion = PORT_VERSION }) => portVersion)
    this.portVersion = versions.find((version) => version !== PORT_VERSION) ?? PORT_VERSION
    const clock = stores.map((store) => store.clock).find((each) => each !== undefined)
    if (clock) this.clock = clock
  }

  open(settings: StoreSettings): StoreSession {
    return new QuorumSession(this.members, settings, this.settings)
  }
}

class QuorumSession implements StoreSession {
  readonly lock: QuorumLockPort
  readonly #members: readonly Member[]

  constructor(
    stores: readonly MemberStore[],
    { thread: _, ...settings }: StoreSettings,
    { serverTimeoutMs, restartGuardMs }: QuorumSettings,
  ) {
    const { clientId, commandTimeoutMs, schedule } = settings
    if (serverTimeoutMs !== undefined && serverTimeoutMs >= commandTimeoutMs) {
      throw invalidNumber(
        'serverTimeoutMs',
        serverTimeoutMs,
        `less than commandTimeoutMs, which is ${commandTimeoutMs}`,
      )
    }
    const members: Member[] = []
    const mark = new Mark(settings.clientId)
    for (const store of stores) members.push(new Member(store, settings, restartGuardMs, () => members, mark))
    this.#members = members
    const usual = Math.min(USUAL_SERVER_TIMEOUT_MS, commandTimeoutMs / 2)
    this.lock = new QuorumLockPort(members, schedule, {
      clientId,
      commandTimeoutMs,
      serverTimeoutMs: serverTimeoutMs ?? usual,
    })
  }

  async close(): Promise<void> {
    this.lock.close()
    await Promise.all(this.#members.map((member) => member.close()))
  }
}
