/** Ports of the fenced lock and of guarded values, each session as another process would have them. */
import { inject } from 'vitest'
import type { Owner } from '../../src/base/identity/owner.js'
import { SystemClock } from '../../src/base/time/clock.js'
import { Schedule } from '../../src/base/time/schedule.js'
import type { FencedPort, GuardedPort } from '../../src/port/kind-ports.js'
import type { AcquireReply, LockPort } from '../../src/port/lock-port.js'
import { VirtualClock } from '../../src/stores/memory/index.js'
import { MemoryRows } from '../../src/stores/memory/memory-rows.js'
import type { RedisClient } from '../../src/stores/redis/connection/client.js'
import { RedisSession } from '../../src/stores/redis/session.js'
import { RowStoreSession } from '../../src/stores/rows/session.js'
import { clusterClient, standaloneClient } from '../setup/clients.js'
import { lockName as freshName } from '../setup/port-place.js'
import { rowSettings } from '../setup/row-settings.js'

export { freshName }

export interface Session {
  readonly plain: LockPort
  readonly fenced: FencedPort
  readonly guarded: GuardedPort
}

export interface Stand {
  readonly server: boolean
  session(retentionMs?: number): Session
  /** Asks the server as a bystander. */
  ask(command: string, ...args: Array<string | number>): Promise<unknown>
  pass(ms: number): Promise<void>
  close(): Promise<void>
}

export function freshOwner(): Owner {
  return `${crypto.randomUUID()}:1`
}

/** The token of a grant; fails on any other answer. */
export function fenceOf(reply: AcquireReply): bigint {
  if (reply.outcome !== 'granted' || reply.fence === undefined)
    throw new Error(`not granted with a token: ${reply.outcome}`)
  return reply.fence
}

export function memoryStand(clock = new VirtualClock()): Stand {
  const rows = new MemoryRows(clock)
  return {
    server: false,
    session: () => {
      const { lock, fencedLock, guardedValues } = new RowStoreSession(rows, rowSettings(clock))
      return { plain: lock, fenced: fencedLock, guarded: guardedValues }
    },
    ask: () => Promise.reject(new Error('memory is no server')),
    pass: (ms) => clock.advance(ms),
    close: async () => undefined,
  }
}

export function standaloneStand(client?: RedisClient): Stand {
  return redisStand(client ?? standaloneClient(inject('servers').standalone))
}

export function clusterStand(): Stand {
  return redisStand(clusterClient(inject('servers').cluster.startupNodes))
}

/** In each place where tokens are kept. */
export function stands(): ReadonlyArray<{ readonly where: string; readonly stand: Stand }> {
  return [
    { where: 'memory', stand: memoryStand() },
    { where: 'standalone', stand: standaloneStand() },
    { where: 'cluster', stand: clusterStand() },
  ]
}

/** One client's ports on a server, with no core above them. */
function redisSession(client: RedisClient, fenceRetentionMs?: number): Session & { close(): Promise<void> } {
  const onError = (error: unknown): never => {
    throw error
  }
  const schedule = new Schedule(new SystemClock(), onError)
  const times = { watchdogLeaseMs: 30_000, quarantineMs: 0, fenceRetentionMs, commandTimeoutMs: 3_000 }
  const session = new RedisSession(client, { schedule, clientId: 'client', ...times, onError })
  const { lock: plain, fencedLock: fenced, guardedValues: guarded } = session
  const close = async (): Promise<void> => {
    await session.close()
    schedule.clear()
  }
  return { plain, fenced, guarded, close }
}

function redisStand(client: RedisClient): Stand {
  const opened: Array<{ close(): Promise<void> }> = []
  return {
    server: true,
    session: (retentionMs) => {
      const session = redisSession(client, retentionMs)
      opened.push(session)
      return session
    },
    ask: (command, ...args) => client.call(command, ...args),
    pass: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    close: async () => {
      await Promise.all(opened.splice(0).map((session) => session.close()))
      client.disconnect()
    },
  }
}
