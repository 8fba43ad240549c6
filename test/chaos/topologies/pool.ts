import { bringClusterWithReplica } from './cluster.js'
import { bringEtcd } from './etcd.js'
import { bringMemcached } from './memcached.js'
import { bringMysql } from './mysql.js'
import { bringPostgres, bringPostgresPair } from './postgres.js'
import { bringQuorum } from './quorum.js'
import { bringSentinelGroup } from './sentinel.js'
import { bringSqlite } from './sqlite.js'
import { bringStandalone } from './standalone.js'
import type { Topology, TopologyName } from './topology.js'
import { bringZooKeeper } from './zookeeper.js'

/** Brings topologies when they are first wanted and keeps them for the next episode, empty. */
export class Pool {
  readonly #brought = new Map<TopologyName, Topology>()

  constructor(private readonly longestLeaseMs: number) {}

  async take(name: TopologyName): Promise<Topology> {
    if (this.#brought.get(name)?.spent) await this.discard(name)
    const topology = this.#brought.get(name) ?? (await this.#bring(name))
    this.#brought.set(name, topology)
    await topology.settled?.()
    await topology.empty()
    return topology
  }

  /** Ends servers that an episode has left in an unknown state. */
  async discard(name: TopologyName): Promise<void> {
    const topology = this.#brought.get(name)
    this.#brought.delete(name)
    await topology?.stop()
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#brought.keys()].map((name) => this.discard(name)))
  }

  #bring(name: TopologyName): Promise<Topology> {
    switch (name) {
      case 'standalone-2':
        return bringStandalone(2)
      case 'standalone-3':
        return bringStandalone(3)
      case 'cluster':
        return bringClusterWithReplica()
      case 'sentinel':
        return bringSentinelGroup()
      case 'quorum':
        return bringQuorum(this.longestLeaseMs)
      case 'postgres':
        return bringPostgres()
      case 'postgres-sync':
        return bringPostgresPair(true)
      case 'postgres-async':
        return bringPostgresPair(false)
      case 'postgres-pooler':
        return bringPostgres(true)
      case 'mysql':
      case 'mariadb':
        return bringMysql(name)
      case 'etcd':
        return bringEtcd()
      case 'zookeeper':
        return bringZooKeeper()
      case 'memcached':
        return bringMemcached()
      case 'sqlite':
        return bringSqlite()
    }
  }
}
