import { StoreError } from '../../base/errors/errors.js'
import type { Kind } from '../../kinds/kinds.js'
import * as kinds from '../../kinds/kinds.js'
import type { LockSeen, LockState } from '../../port/lock-port.js'
import { tokenCounterOf } from '../../stores/redis/keys/companion-key.js'
import { readWriteKeysOf } from '../../stores/redis/keys/read-write-keys.js'
import type { Holder, LockView, Mode } from '../lock-view.js'
import { lineOf, permitsLineOf, processesOf, semaphoreLineOf } from './key-names.js'
import type { Keyspace } from './keyspace.js'
import { waitersIn } from './line.js'
import type { RedisLocks } from './locks.js'

/** How much to read: for a list, the number of places in line is enough. */
export type Depth = 'brief' | 'full'

/**
 * The lock in the hash of that name, which plain, fair and fenced locks share. Only a counter tells a
 * fenced one, once a token was minted.
 */
export async function hashView(server: RedisLocks, state: LockSeen, depth: Depth): Promise<LockView> {
  const { keyspace } = server
  const key = keyspace.keyOf(state.name)
  const full = depth === 'full'
  const [fence, line, waiting] = await Promise.all([
    keyspace.askIfAllowed('GET', tokenCounterOf(key, keyspace.inCluster)),
    full ? waitersIn(keyspace, lineOf(key), processesOf(key)) : undefined,
    full ? waitingFor(server, kinds.lock, state.name) : placesIn(keyspace, lineOf(key)),
  ])
  const inLine = line ? line.length > 0 : (waiting.waitingClients ?? 0) > 0
  const fenced = typeof fence === 'string'
  const there = state.owners.length > 0 || state.remainingMs > 0
  return {
    ...state,
    kind: fenced ? 'fenced lock' : there || inLine ? 'lock' : undefined,
    ...(fenced && { fence }),
    ...(inLine && line && { line }),
    ...waiting,
  }
}

/** A read-write lock, both sides together. */
export async function readWriteView(server: RedisLocks, name: string, depth: Depth): Promise<LockView> {
  const { family, keyspace } = server
  const [, lineKey, processesKey, fenceKey] = readWriteKeysOf(keyspace.keyOf(name))
  const full = depth === 'full'
  const [readers, writers, fence, line, waiting] = await Promise.all([
    family.inspect(kinds.readLock, name),
    family.inspect(kinds.writeLock, name),
    full ? keyspace.askIfAllowed('GET', fenceKey) : undefined,
    full ? waitersIn(keyspace, lineKey, processesKey) : undefined,
    full ? waitingFor(server, kinds.readLock, name) : placesIn(keyspace, lineKey),
  ])
  const held = (state: LockState, mode: Mode): Holder[] => state.owners.map((each) => ({ ...each, mode }))
  const owners = [...held(writers, 'write'), ...held(readers, 'read')]
  return {
    name,
    kind: 'read-write lock',
    owners,
    remainingMs: Math.max(readers.remainingMs, writers.remainingMs),
    mode: owners[0]?.mode,
    ...(typeof fence === 'string' && { fence }),
    ...(line && line.length > 0 && { line }),
    ...waiting,
  }
}

export async function semaphoreView(server: RedisLocks, name: string, depth: Depth): Promise<LockView> {
  const { family, keyspace } = server
  // Counting returns the permits of holders whose lease has ended, so it comes first.
  const available = await family.semaphore(name).availablePermits()
  const [state, waiting] = await Promise.all([
    family.inspect(kinds.semaphore, name),
    depth === 'full'
      ? waitingFor(server, kinds.semaphore, name)
      : placesIn(keyspace, semaphoreLineOf(keyspace.keyOf(name))),
  ])
  return { ...state, kind: 'semaphore', available, ...waiting }
}

export async function permitsView(server: RedisLocks, name: string, depth: Depth): Promise<LockView> {
  const { family, keyspace } = server
  const available = await family.permitExpirableSemaphore(name).availablePermits()
  const [state, waiting] = await Promise.all([
    family.inspect(kinds.permitExpirableSemaphore, name),
    depth === 'full'
      ? waitingFor(server, kinds.permitExpirableSemaphore, name)
      : placesIn(keyspace, permitsLineOf(keyspace.keyOf(name))),
  ])
  return { ...state, kind: 'permit-expirable semaphore', available, ...waiting }
}

export async function latchView(server: RedisLocks, name: string): Promise<LockView> {
  const [count, waiting] = await Promise.all([
    server.family.countDownLatch(name).count(),
    waitingFor(server, kinds.countDownLatch, name),
  ])
  const remainingMs = count > 0 ? Infinity : 0
  return { name, kind: 'count-down latch', owners: [], remainingMs, count, ...waiting }
}

/**
 * A number without additional keys. A semaphore of which no Holdfast client holds permits looks like a latch, and both look like any
 * application's counter; only a waiter tells them apart.
 */
export async function numberView(server: RedisLocks, name: string, number: number): Promise<LockView> {
  const [latch, semaphore] = await Promise.all([
    waitingFor(server, kinds.countDownLatch, name),
    waitingFor(server, kinds.semaphore, name),
  ])
  const latchWaiters = latch.waitingClients ?? 0
  const semaphoreWaiters = semaphore.waitingClients ?? 0
  if (latchWaiters > 0 && semaphoreWaiters === 0) return await latchView(server, name)
  if (semaphoreWaiters > 0 && latchWaiters === 0) return await semaphoreView(server, name, 'full')
  const known = latch.waitingClients !== undefined && semaphore.waitingClients !== undefined
  return {
    name,
    kind: 'semaphore or latch',
    owners: [],
    remainingMs: 0,
    number,
    waitingClients: known ? latchWaiters + semaphoreWaiters : undefined,
  }
}

/** The places in a line, for a list: of those who wait outside it, and of those that are gone, it knows nothing. */
async function placesIn(keyspace: Keyspace, line: string): Promise<Pick<LockView, 'waitingClients'>> {
  const places = await keyspace.askIfAllowed('ZCARD', line)
  return { waitingClients: typeof places === 'number' ? places : undefined }
}

async function waitingFor(
  server: RedisLocks,
  kind: Kind,
  name: string,
): Promise<Pick<LockView, 'waitingClients'>> {
  try {
    return { waitingClients: await server.family.countWaiting(kind, name) }
  } catch (error) {
    if (error instanceof StoreError && error.reason === 'permission') return { waitingClients: undefined }
    throw error
  }
}
