import { checkObject, whole } from '../../base/checks/checks.js'
import { InvalidArgumentError } from '../../base/errors/errors.js'
import type { Store } from '../../port/store.js'
import { isClient, isCluster, type RedisClient } from '../redis/connection/client.js'
import { redisStoreOf } from '../redis/store.js'
import { quorumStore } from './store.js'

/** Options of {@link quorum}. Times are whole milliseconds. */
export interface QuorumOptions {
  /**
   * The longest wait for one server's vote, or a quarter of the lease if that is less. Keep it small compared with the leases, because
   * they run meanwhile; it must be less than `commandTimeoutMs`. Minimum: 1.
   * @default 200, or half of `commandTimeoutMs` if that is less
   */
  readonly serverTimeoutMs?: number
  /**
   * How long after its start a server does not vote, so that a server that lost votes in a restart cannot vote again while they
   * count. Set it to the longest lease in use, or more. 0: it votes at once, which is safe only if no acknowledged write is ever
   * lost (`appendfsync always`). Minimum: 0.
   * @default 0
   */
  readonly restartGuardMs?: number
}

/**
 * A store that keeps each lock on several independent servers (Redlock): a client holds a lock once a majority grants it, so the lock
 * survives the failure of a minority. See docs/quorum.md for when that is worth its cost.
 *
 * @param members an odd number of at least three: clients of single servers, each of a different server; list them in the same order
 *   everywhere.
 * @throws `InvalidArgumentError` if the members or the options are invalid.
 */
export function quorum(members: ReadonlyArray<RedisClient | Store>, options: QuorumOptions = {}): Store {
  checkMembers(members)
  checkObject('options', options, ['serverTimeoutMs', 'restartGuardMs'])
  const serverTimeoutMs = whole('serverTimeoutMs', options.serverTimeoutMs, 1)
  const restartGuardMs = whole('restartGuardMs', options.restartGuardMs, 0) ?? 0
  const labelled = members.map((member, index) => ({
    label: addressOf(member) ?? `members[${index}]`,
    store: redisStoreOf(member),
  }))
  return quorumStore(labelled, { serverTimeoutMs, restartGuardMs })
}

function checkMembers(members: unknown): void {
  if (!Array.isArray(members)) throw new InvalidArgumentError('members', members, 'an array of clients')
  const count = members.length
  if (count < 3 || count % 2 === 0) {
    throw new InvalidArgumentError(
      'members',
      members,
      count < 3
        ? 'an odd number of servers, at least three: with fewer, none may fail. For one server, pass its client to Holdfast itself'
        : `an odd number of servers: ${count} tolerate no more failures than ${count - 1}, and one more can fail`,
      { found: `has ${count}` },
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
        member,
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
    member,
    'a client of a single server: Redlock needs independent servers without replication, since a replica that takes over lacks ' +
      'the latest votes. For a Cluster or a Sentinel group, pass its client to Holdfast itself',
    { found: `is the client of ${kind}` },
  )
}

function hasSentinels({ options }: RedisClient): boolean {
  return 'sentinels' in options && Array.isArray(options.sentinels) && options.sentinels.length > 0
}

/** The address of a client's server, without the database: one server must not vote twice. */
function addressOf(member: object): string | undefined {
  if (!isClient(member) || isCluster(member)) return undefined
  const { options } = member
  if ('path' in options && typeof options.path === 'string') return options.path
  return options.host === undefined ? undefined : `${options.host}:${options.port ?? 6379}`
}
