import { inject } from 'vitest'
import { SystemClock } from '../../src/base/time/clock.js'
import { Schedule } from '../../src/base/time/schedule.js'
import { isCluster, type RedisClient } from '../../src/stores/redis/connection/client.js'
import { ClusterLink } from '../../src/stores/redis/connection/cluster-link.js'
import type { Link } from '../../src/stores/redis/connection/link.js'
import { StandaloneLink } from '../../src/stores/redis/connection/standalone-link.js'
import { clusterClient, standaloneClient } from './clients.js'
import { eventually } from './eventually.js'

/** Looks at a server or a cluster from beside the locks. */
export class Bystander {
  #link: Link | undefined

  constructor(private readonly pattern: () => RedisClient) {}

  static standalone(): Bystander {
    return new Bystander(() => standaloneClient(inject('servers').standalone))
  }

  static cluster(): Bystander {
    return new Bystander(() => clusterClient(inject('servers').cluster.startupNodes))
  }

  async pass(ms: number): Promise<void> {
    const until = (await this.timeMs()) + ms
    const now = (): Promise<number> => this.timeMs()
    await eventually(now, (time) => time > until, ms + 10_000)
  }

  async timeMs(): Promise<number> {
    const time = await this.ask('any', 'TIME')
    const [seconds, microseconds] = Array.isArray(time) ? time.map(Number) : []
    return (seconds ?? 0) * 1_000 + (microseconds ?? 0) / 1_000
  }

  async keys(text: string): Promise<string[]> {
    const found: string[] = []
    for (const node of await this.#reach().nodes()) {
      const keys = await node.send({ command: 'KEYS' }, 'KEYS', `*${text.replace(/[\\*?[\]]/g, '\\$&')}*`)
      if (Array.isArray(keys)) found.push(...keys.map(String))
    }
    return found.sort()
  }

  async ask(key: string, command: string, ...args: Array<string | number>): Promise<unknown> {
    return await this.#reach().send(key, { command }, command, ...args)
  }

  async askAll(command: string, ...args: string[]): Promise<void> {
    for (const node of await this.#reach().nodes()) await node.send({ command }, command, ...args)
  }

  async close(): Promise<void> {
    await this.#link?.close()
    this.#link = undefined
  }

  #reach(): Link {
    if (this.#link) return this.#link
    const schedule = new Schedule(new SystemClock(), () => undefined)
    const ignored = (): void => undefined
    const deaf = { message: ignored, resumed: ignored, refused: ignored, error: ignored }
    const pattern = this.pattern()
    this.#link = isCluster(pattern)
      ? new ClusterLink(pattern, schedule, 5_000, deaf)
      : new StandaloneLink(pattern, schedule, 5_000, deaf)
    return this.#link
  }
}
