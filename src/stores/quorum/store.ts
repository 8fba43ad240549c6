import { invalidNumber } from '../../base/checks/checks.js'
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
export function quorumStore(members: readonly MemberStore[], quorum: QuorumSettings): Store {
  const stores = members.map(({ store }) => store)
  const versions = stores.map(({ portVersion = PORT_VERSION }) => portVersion)
  const clock = stores.map((store) => store.clock).find((each) => each !== undefined)
  return {
    traits: { ...quorumTraits, lists: stores.every(({ traits }) => traits?.lists ?? true) },
    portVersion: versions.find((version) => version !== PORT_VERSION) ?? PORT_VERSION,
    ...(clock && { clock }),
    open: ({ thread: _, ...settings }) => open(members, settings, quorum),
  }
}

function open(stores: readonly MemberStore[], settings: StoreSettings, quorum: QuorumSettings): StoreSession {
  const { clientId, commandTimeoutMs, schedule } = settings
  const usual = Math.min(USUAL_SERVER_TIMEOUT_MS, commandTimeoutMs / 2)
  const { serverTimeoutMs = usual, restartGuardMs } = quorum
  if (serverTimeoutMs >= commandTimeoutMs) {
    const accepted = `less than commandTimeoutMs, which is ${commandTimeoutMs}`
    throw invalidNumber('serverTimeoutMs', serverTimeoutMs, accepted)
  }
  const members: Member[] = []
  const mark = new Mark(clientId)
  for (const store of stores) members.push(new Member(store, settings, restartGuardMs, () => members, mark))
  const lock = new QuorumLockPort(members, schedule, { clientId, commandTimeoutMs, serverTimeoutMs })
  return {
    lock,
    async close() {
      lock.close()
      await Promise.all(members.map((member) => member.close()))
    },
  }
}
