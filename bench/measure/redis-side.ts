import { Redis } from 'ioredis'
import type { ServerSide, ServerTraffic } from './server-side.js'

/** Calls by command, as the server counts them: those made by scripts too. */
export type Calls = Readonly<Record<string, number>>

/** The harness's own connection to the Redis that is measured. */
export class RedisSide implements ServerSide {
  readonly #redis: Redis

  constructor(host: string, port: number) {
    this.#redis = new Redis({ host, port })
  }

  async clear(): Promise<void> {
    await this.#redis.flushall()
  }

  async resetCounters(): Promise<void> {
    await this.#redis.config('RESETSTAT')
  }

  async traffic(library: string): Promise<ServerTraffic> {
    const calls = parseCalls(await this.#redis.info('commandstats'))
    return { commands: sentCommands(library, calls), messages: deliveredMessages(library, calls) }
  }

  async cpuMs(): Promise<number> {
    return parseCpuMs(await this.#redis.info('cpu'))
  }

  async close(): Promise<void> {
    this.#redis.disconnect()
  }
}

export function parseCalls(info: string): Calls {
  const calls: Record<string, number> = {}
  for (const [, command, count] of info.matchAll(/^cmdstat_([^:]+):calls=(\d+)/gm)) {
    if (command !== undefined) calls[command] = Number(count)
  }
  return calls
}

export function parseCpuMs(info: string): number {
  const seconds = (name: string): number => Number(new RegExp(`^${name}:([\\d.]+)`, 'm').exec(info)?.[1] ?? 0)
  return (seconds('used_cpu_user') + seconds('used_cpu_sys')) * 1_000
}

/** What clients send themselves, whichever the library. */
const SENT = [
  'eval',
  'evalsha',
  'fcall',
  'subscribe',
  'unsubscribe',
  'psubscribe',
  'ssubscribe',
  'sunsubscribe',
  'script|load',
  'ping',
]

/**
 * How many commands clients sent, from counters that cannot tell them from what scripts called. It is known of each library
 * which others it sends itself.
 */
export function sentCommands(library: string, calls: Calls): number {
  const of = (command: string): number => calls[command] ?? 0
  const sent = SENT.reduce((sum, command) => sum + of(command), 0)
  return sent + (others[library]?.(of) ?? 0)
}

const others: Readonly<Record<string, (of: (command: string) => number) => number>> = {
  // It deletes a latch after each unlock; the script's own DEL comes with a PUBLISH.
  redisson: (of) => of('del') - of('publish'),
  // The latch again; here the script's own DEL comes with the SET of the latch, and a PUBLISH only where somebody waits.
  'redisson-fair': (of) => of('del') - of('set'),
  // Its SET NX is no script. (That of rueidislock is in one.)
  redsync: (of) => of('set'),
}

/**
 * How many messages were delivered, where the server's count of those published tells it. Redisson's fair lock publishes on a
 * channel of the one thread that is next.
 */
export function deliveredMessages(library: string, calls: Calls): number | undefined {
  return library === 'redisson-fair' ? (calls['publish'] ?? 0) : undefined
}
