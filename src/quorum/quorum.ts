import { checkObject, whole } from '../checks.js'
import { InvalidArgumentError } from '../errors.js'
import { isClient, isCluster, type RedisClient } from '../redis/client.js'
import { storeOf } from '../redis/store.js'
import type { Store } from '../store.js'
import { QuorumStore } from './store.js'

/** Options of {@link quorum}. Times are whole milliseconds. */
export interface QuorumOptions {
  /**
   * How long one server's vote is waited for, at most: a quarter of the lease where that is less. Small against the leases, since
   * it is gone from them, and less than `commandTimeoutMs`. Minimum: 1.
   * @default 200, or half of `commandTimeoutMs` where that is less
   */
  readonly serverTimeoutMs?: number
  /**
   * For how long after its start a server does not vote, so that one that lost votes in a restart cannot vote again while they
   * count: the longest lease that is used, or more. 0: it votes at once, which is safe only where no acknowledged write is
   * ever lost (`appendfsync always`).
   * @default 0
   */
  readonly restartGuardMs?: number
}

/**
 * A store that keeps each lock on several servers that know nothing of each other (Redlock): a lock is held by whoever holds it
 * on a majority, so that it outlives the failure of the others. See docs/quorum.md for when that is worth it.
 *
 * @param members an odd number of at least three: clients of single servers, each of a server of its own; list them in the
 *   same order everywhere.
 * @throws `InvalidArgumentError` if the members or the options are unusable.
 */
export function quorum(members: ReadonlyArray<RedisClient | Store>, options: QuorumOptions = {}): Store {
  checkMembers(members)
  checkObject('options', options, ['serverTimeoutMs', 'restartGuardMs'])
  const serverTimeoutMs = whole('serverTimeoutMs', options.serverTimeoutMs, 1)
  const restartGuardMs = whole('restartGuardMs', options.restartGuardMs, 0) ?? 0
  const labelled = members.map((member, index) => ({ label: labelOf(member, index), store: storeOf(member) }))
  return new QuorumStore(labelled, { serverTimeoutMs, restartGuardMs })
}

function checkMembers(members: unknown): void {
  if (!Array.isArray(members)) throw new InvalidArgumentError('members', members, 'an array of clients')
  const count = members.length
  if (count < 3 || count % 2 === 0) {
    throw new InvalidArgumentError(
      'members',
      count,
      count < 3
        ? 'an odd number of servers, at least three: with fewer, none may fail. For one server, pass its client to Holdfast itself'
        : `an odd number of servers: ${count} tolerate no more failures than ${count - 1}, and one more can fail`,
    )
  }
  const seen = new Map<unknown, number>()
  members.forEach((member: unknown, index) => {
    if (typeof member !== 'object' || member === null) {
      throw new InvalidArgumentError(`members[${index}]`, member, 'a client of one server, or a store')
    }
    const address = addressOf(member)
    const twin = seen.get(member) ?? (address === undefined ? undefined : seen.get(address))
    if (twin !== undefined) {
      throw new InvalidArgumentError(
        `members[${index}]`,
        address ?? member,
        `a different server; members[${twin}] is the same one, whose vote would count twice and fail twice`,
      )
    }
    seen.set(member, index)
    if (address !== undefined) seen.set(address, index)
    checkSingle(member, index)
  })
}

function checkSingle(member: object, index: number): void {
  if (!isClient(member)) return
  const kind = isCluster(member) ? 'a Cluster' : hasSentinels(member) ? 'a Sentinel group' : undefined
  if (kind === undefined) return
  throw new InvalidArgumentError(
    `members[${index}]`,
    kind,
    'a client of a single server: Redlock needs independent servers without replication, since a replica that takes over lacks ' +
      'the latest votes. For a Cluster or a Sentinel group, pass its client to Holdfast itself',
  )
}

function hasSentinels({ options }: RedisClient): boolean {
  return 'sentinels' in options && Array.isArray(options.sentinels) && options.sentinels.length > 0
}

/** Where a client connects to, whatever its database: one server does not vote twice. */
function addressOf(member: object): string | undefined {
  if (!isClient(member) || isCluster(member)) return undefined
  const { options } = member
  if ('path' in options && typeof options.path === 'string') return options.path
  return options.host === undefined ? undefined : `${options.host}:${options.port ?? 6379}`
}

function labelOf(member: object, index: number): string {
  return addressOf(member) ?? `members[${index}]`
}
