import { bringEtcd } from './etcd.js'
import { bringMemcached } from './memcached.js'
import { bringMysql } from './mysql.js'
import { bringPostgres, bringPostgresPair } from './postgres.js'
import { bringClusterWithReplica, bringQuorum, bringSentinelGroup, bringStandalone } from './redis.js'
import { bringSqlite } from './sqlite.js'
import type { Topology, TopologyName } from './topology.js'
import { bringZooKeeper } from './zookeeper.js'

const bring: Readonly<Record<TopologyName, (longestLeaseMs: number) => Promise<Topology>>> = {
  'standalone-2': () => bringStandalone(2),
  'standalone-3': () => bringStandalone(3),
  cluster: bringClusterWithReplica,
  sentinel: bringSentinelGroup,
  quorum: bringQuorum,
  postgres: () => bringPostgres(),
  'postgres-sync': () => bringPostgresPair(true),
  'postgres-async': () => bringPostgresPair(false),
  'postgres-pooler': () => bringPostgres(true),
  mysql: () => bringMysql('mysql'),
  mariadb: () => bringMysql('mariadb'),
  etcd: bringEtcd,
  zookeeper: bringZooKeeper,
  memcached: bringMemcached,
  sqlite: bringSqlite,
}

/** Brings topologies when they are first wanted and keeps them for the next episode, empty. */
export class Pool {
  readonly #brought = new Map<TopologyName, Topology>()

  constructor(private readonly longestLeaseMs: number) {}

  async take(name: TopologyName): Promise<Topology> {
    if (this.#brought.get(name)?.spent) await this.discard(name)
    const topology = this.#brought.get(name) ?? (await bring[name](this.longestLeaseMs))
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
}
