import { StoreError } from '../../base/errors/errors.js'
import { lock } from '../../kinds/kinds.js'
import { COMPANION } from '../../stores/redis/keys/companion-key.js'
import { keyOfHolds } from '../../stores/redis/keys/read-write-keys.js'
import { matchesGlob } from '../../stores/rows/glob.js'
import { eachInTurn, type Listing, type Pace } from '../catalogue.js'
import { isLocked, type LockView } from '../lock-view.js'
import { glanceAt, glanceCommands } from './glance.js'
import {
  keyOfLatchChannel,
  keyOfPermits,
  keyOfTaken,
  keysOfSemaphoreChannel,
  NUMBER_CHANNELS,
} from './key-names.js'
import type { Ask } from './keyspace.js'
import type { RedisLocks } from './locks.js'
import { numberAt } from './look.js'
import { scan } from './scan.js'
import { hashView, latchView, permitsView, readWriteView, semaphoreView } from './views.js'

/** How many of them are read at once, and what that takes for each that a glance does not tell: two commands or three. */
const SLICE = 50
const COMMANDS = 3

/** Reads a found key, if it is a lock. */
interface Look {
  (): Promise<LockView | undefined>
  /** The name, where a glance is enough. */
  plain?: string
}

/**
 * All locks with a matching name that are held now: two passes of SCAN over each node, one for hashes and one for sorted sets, and a
 * query for semaphores and latches with waiters. Then it reads each of them, in slices.
 */
export class KeyListing implements Listing {
  /** The number of found locks that cannot be read: by this user, or because a key beside them holds something else. */
  unreadable = 0
  readonly #found = new Set<string>()

  constructor(
    private readonly server: RedisLocks,
    private readonly pattern: string,
    private readonly pace: Pace,
  ) {}

  async *[Symbol.asyncIterator](): AsyncIterator<LockView> {
    for (const node of await this.server.keyspace.nodes()) yield* this.#on(node)
  }

  async *#on(node: Ask): AsyncIterable<LockView> {
    const around = this.#around()
    for await (const keys of scan(node, around, 'hash', this.pace))
      yield* this.#read(keys.flatMap((key) => this.#hash(key)))
    for await (const keys of scan(node, `${around}:timeout`, 'zset', this.pace)) {
      yield* this.#read(keys.flatMap((key) => this.#permits(key)))
    }
    yield* this.#read(await this.#waitedFor(node))
  }

  #hash(found: string): Look[] {
    const { server } = this
    const readWrite = this.#new('read-write lock', keyOfHolds(found))
    if (readWrite !== undefined) return [async () => await readWriteView(server, readWrite, 'brief')]
    const semaphore = this.#new('semaphore', keyOfTaken(found))
    if (semaphore !== undefined) return [async () => await semaphoreView(server, semaphore, 'brief')]
    const name = COMPANION.test(found) ? undefined : this.#new('lock', found)
    if (name === undefined) return []
    const look: Look = async () => {
      const state = await server.family.seen(lock, name)
      return await hashView(server, state, 'brief')
    }
    look.plain = name
    return [look]
  }

  #permits(found: string): Look[] {
    const name = this.#new('semaphore', keyOfPermits(found))
    return name === undefined ? [] : [async () => await permitsView(this.server, name, 'brief')]
  }

  /** Only a waiter tells these from other numbers, so this lists the ones with waiters. */
  async #waitedFor(node: Ask): Promise<Look[]> {
    const { server } = this
    const looks: Look[] = []
    for (const channel of await this.#channels(node)) {
      const latch = this.#new('latch', keyOfLatchChannel(channel))
      if (latch !== undefined) {
        looks.push(async () => ((await numberAt(server, latch)) ? await latchView(server, latch) : undefined))
      }
      for (const key of keysOfSemaphoreChannel(channel)) {
        const name = this.#new('semaphore', key)
        if (name === undefined) continue
        looks.push(async () =>
          (await numberAt(server, name)) === undefined
            ? undefined
            : await semaphoreView(server, name, 'full'),
        )
      }
    }
    return looks
  }

  async #channels(node: Ask): Promise<readonly string[]> {
    const { keyspace } = this.server
    const command = keyspace.inCluster ? 'SHARDCHANNELS' : 'CHANNELS'
    const replies = await Promise.all(
      NUMBER_CHANNELS.map((glob) => keyspace.unlessForbidden(() => node('PUBSUB', command, glob))),
    )
    return replies
      .flatMap((reply) => (Array.isArray(reply) ? reply : []))
      .filter((each) => typeof each === 'string')
  }

  /** The lock's name for a key, if it matches and was not found before as that kind. */
  #new(kind: string, key: string | undefined): string | undefined {
    const { prefix } = this.server.keyspace
    if (key === undefined || !key.startsWith(prefix)) return undefined
    const name = key.slice(prefix.length)
    if (name === '' || !matchesGlob(this.pattern, name) || this.#found.has(`${kind} ${name}`))
      return undefined
    this.#found.add(`${kind} ${name}`)
    return name
  }

  /** Matches the lock's key and all keys that contain its name. Leaves out a pattern that cannot be embedded. */
  #around(): string {
    const standsAlone = /^(?:[^\\[]|\\.|\[(?:[^\]\\]|\\.)+\])*$/s.test(this.pattern)
    const prefix = this.server.keyspace.prefix.replace(/[\\*?[\]]/g, '\\$&')
    return standsAlone ? `*${prefix}${this.pattern}*` : `*${prefix}*`
  }

  async *#read(looks: readonly Look[]): AsyncIterable<LockView> {
    for (let from = 0; from < looks.length; from += SLICE) {
      const slice = looks.slice(from, from + SLICE)
      const plain = slice.flatMap(({ plain: name }) => name ?? [])
      if (plain.length > 0) await this.pace(glanceCommands(this.server.keyspace, plain.length))
      const glances = await glanceAt(this.server.keyspace, plain)
      const glanced = slice.flatMap(({ plain: name }) => (name && glances.get(name)?.view) ?? [])
      const others = slice.filter(({ plain: name }) => name === undefined || !glances.has(name))
      const read = await eachInTurn(others, COMMANDS, this.pace, (look) => this.#unlessUnreadable(look))
      for (const view of [...glanced, ...read]) if (view && isWanted(view)) yield view
    }
  }

  async #unlessUnreadable(look: Look): Promise<LockView | undefined> {
    try {
      return await look()
    } catch (error) {
      const unreadable = error instanceof StoreError && ['permission', 'wrong-type'].includes(error.reason)
      if (!unreadable) throw error
      this.unreadable += 1
      return undefined
    }
  }
}

/** A hash without owners belongs to the application. */
function isWanted(view: LockView): boolean {
  if (view.owners.length === 0 && isHash(view)) return false
  return isLocked(view) || (view.waitingClients ?? 0) > 0
}

function isHash({ kind }: LockView): boolean {
  return kind === undefined || kind === 'lock' || kind === 'fenced lock'
}
