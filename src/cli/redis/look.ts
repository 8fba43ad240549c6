import { StoreError } from '../../base/errors/errors.js'
import type { LockState } from '../../port/lock-port.js'
import { readWriteKeysOf } from '../../stores/redis/keys/read-write-keys.js'
import { permitsKeyOf } from '../../stores/redis/keys/semaphore-keys.js'
import type { LockView } from '../lock-view.js'
import { takenOf } from './key-names.js'
import type { RedisLocks } from './locks.js'
import { hashView, numberView, permitsView, readWriteView, semaphoreView } from './views.js'

/**
 * All locks of a name, at least one: a lock and a read-write lock of one name, for example, are two locks. If there is none, a free
 * lock of unknown kind.
 *
 * @throws StoreError (`wrong-type`) if the key holds something other than a lock.
 */
export async function look(server: RedisLocks, name: string): Promise<readonly LockView[]> {
  // First over the library's own connection, which reports the server's failures best.
  const state = await hashAt(server, name)
  const [readWrite, own] = await Promise.all([readWriteAt(server, name), ownViews(server, name, state)])
  // The lock's own key is empty, but a read-write lock has the name: the user means that one.
  const shown = readWrite.length > 0 ? own.filter(({ kind }) => kind !== undefined) : own
  return [...shown, ...readWrite]
}

/** The lock in the name's own key, or in its place. */
async function ownViews(
  server: RedisLocks,
  name: string,
  state: LockState | StoreError,
): Promise<LockView[]> {
  if (state instanceof StoreError) return [await textView(server, name, state)]
  const own = await hashView(server, state, 'full')
  if (own.kind !== undefined) return [own]
  // Permits that are taken although the number is gone.
  const { keyspace } = server
  const out = await keyspace.askIfAllowed('EXISTS', permitsKeyOf(keyspace.keyOf(name)))
  return [out === 1 ? await permitsView(server, name, 'full') : own]
}

/** The hash of that name, or the reason why there is none. */
async function hashAt({ family }: RedisLocks, name: string): Promise<LockState | StoreError> {
  try {
    return await family.lock(name).inspect()
  } catch (error) {
    if (error instanceof StoreError && error.reason === 'wrong-type') return error
    throw error
  }
}

async function readWriteAt(server: RedisLocks, name: string): Promise<LockView[]> {
  const { keyspace } = server
  const [holds, leases, line] = readWriteKeysOf(keyspace.keyOf(name))
  const there = await keyspace.askIfAllowed('EXISTS', holds, leases, line)
  if (typeof there !== 'number' || there === 0) return []
  const view = await readWriteView(server, name, 'full')
  return view.owners.length > 0 || view.line !== undefined ? [view] : []
}

/** A key of another type: semaphores and latches are numbers. */
async function textView(server: RedisLocks, name: string, wrongType: StoreError): Promise<LockView> {
  const { keyspace } = server
  const key = keyspace.keyOf(name)
  const [taken, permits] = await Promise.all([
    keyspace.askIfAllowed('EXISTS', takenOf(key)),
    keyspace.askIfAllowed('EXISTS', permitsKeyOf(key)),
  ])
  const number = await numberAt(server, name)
  if (number === undefined) throw wrongType
  if (permits === 1) return await permitsView(server, name, 'full')
  if (taken === 1) return await semaphoreView(server, name, 'full')
  return await numberView(server, name, number)
}

/** The whole number of that name; undefined if there is none. */
export async function numberAt({ keyspace }: RedisLocks, name: string): Promise<number | undefined> {
  try {
    const text = await keyspace.ask('GET', keyspace.keyOf(name))
    return typeof text === 'string' && /^-?\d+$/.test(text) ? Number(text) : undefined
  } catch (error) {
    if (error instanceof StoreError && (error.reason === 'wrong-type' || error.reason === 'permission'))
      return undefined
    throw error
  }
}
