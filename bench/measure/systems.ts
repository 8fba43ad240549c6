import { join } from 'node:path'
import process from 'node:process'
import { bringServer } from '../../test/servers/index.js'
import { whyNot } from '../../test/servers/sql/index.js'
import { clockOffsetMs } from '../drivers/clock.js'
import type { Place, System } from '../drivers/place.js'
import type { Bench } from './cell.js'
import { EtcdSide } from './etcd-side.js'
import { FilesSide } from './files-side.js'
import { MemcachedSide } from './memcached-side.js'
import { MysqlSide } from './mysql-side.js'
import { PostgresSide } from './postgres-side.js'
import { RedisSide } from './redis-side.js'
import { ZooKeeperSide } from './zookeeper-side.js'

type SqlSystem = 'PostgreSQL' | 'MySQL' | 'MariaDB'

/** A system that runs. */
interface Brought {
  readonly version: string
  readonly bench: Bench
  stop(): Promise<unknown>
}

/** What the locks of a run are kept in, each brought when it is first asked for. */
export class Systems {
  readonly #clockOffsetMs = clockOffsetMs()
  readonly #known = new Map<System, Promise<Brought | string>>()

  /** @param folder where files may be written */
  constructor(readonly folder: string) {}

  /**
   * Where cells on that system run, or why there is none.
   * @throws in CI, if there is none
   */
  async benchOn(system: System): Promise<Bench | string> {
    const known = this.#known.get(system) ?? this.#bring(system)
    this.#known.set(system, known)
    const brought = await known
    return typeof brought === 'string' ? brought : brought.bench
  }

  /** All that was brought. */
  async versions(): Promise<string> {
    const all = await Promise.all(this.#known.values())
    return all.flatMap((each) => (typeof each === 'string' ? [] : [each.version])).join(', ')
  }

  async stop(): Promise<void> {
    const all = await Promise.allSettled(this.#known.values())
    await Promise.all(
      all.map((each) => each.status === 'fulfilled' && typeof each.value !== 'string' && each.value.stop()),
    )
  }

  async #bring(system: System): Promise<Brought | string> {
    if (system === 'Redis') return this.#redis()
    if (system === 'files') return this.#files()
    if (
      system === 'etcd' ||
      system === 'memcached' ||
      system === 'ZooKeeper' ||
      system === 'ZooKeeper, three'
    ) {
      try {
        return await this.#coordination(system)
      } catch (error) {
        if (process.env['CI']) throw error
        return `no ${system} is to be had: ${error instanceof Error ? error.message : error}`
      }
    }
    const refusal = await whyNot(system)
    if (refusal !== undefined && process.env['CI']) throw new Error(`no ${system} is to be had: ${refusal}`)
    if (refusal !== undefined) return `no ${system} is to be had: ${refusal}`
    const side = await (system === 'PostgreSQL' ? PostgresSide.bring() : MysqlSide.bring(system))
    const { host, port, user, password, database } = side.server.address
    return {
      version: side.version,
      bench: this.#bench({ host, port, system, login: { user, password, database } }, side),
      stop: () => side.close(),
    }
  }

  async #coordination(system: Exclude<System, 'Redis' | 'files' | SqlSystem>): Promise<Brought> {
    if (system === 'ZooKeeper' || system === 'ZooKeeper, three') {
      const side = await (system === 'ZooKeeper' ? ZooKeeperSide.bring() : ZooKeeperSide.bringThree())
      const [host = '', port] = side.servers[0]?.split(':') ?? []
      const place = { host, port: Number(port), servers: side.servers, system }
      return { version: side.version, bench: this.#bench(place, side), stop: () => side.close() }
    }
    const side = await (system === 'etcd' ? EtcdSide.bring() : MemcachedSide.bring())
    const { host, port } = side.server
    return {
      version: side.version,
      bench: this.#bench({ host, port, system }, side),
      stop: () => side.close(),
    }
  }

  async #redis(): Promise<Brought> {
    // Arguments make it a server of our own even where HOLDFAST_REDIS_URL names one: it is emptied again and again.
    const server = await bringServer({ prefer: 'binary', args: ['--save', '', '--appendonly', 'no'] })
    const { host, port, version } = server
    const side = new RedisSide(host, port)
    return {
      version,
      bench: this.#bench({ host, port, system: 'Redis' }, side),
      stop: () => side.close().then(() => server.stop()),
    }
  }

  async #files(): Promise<Brought> {
    const folder = join(this.folder, 'files')
    const side = new FilesSide(folder)
    return {
      version: 'SQLite and files in the folder for temporary ones',
      bench: this.#bench({ host: '', port: 0, system: 'files', folder }, side),
      stop: () => side.close(),
    }
  }

  #bench(place: Place, server: Bench['server']): Bench {
    return { place, server, folder: this.folder, clockOffsetMs: this.#clockOffsetMs }
  }
}
