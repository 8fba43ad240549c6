/** Edges as Redis, memory and a file keep them; as databases do: test/rows/edges.test.ts. */
import { describe, inject } from 'vitest'
import type { RedisClient } from '../../src/index.js'
import { MemoryStore } from '../../src/stores/memory/index.js'
import { sqlite } from '../../src/stores/sqlite/index.js'
import { clusterClient, standaloneClient } from '../setup/clients.js'
import { Stand } from '../sqlite/stand.js'
import { type EdgePlace, edgeCases } from './edge-cases.js'

const keyPrefix = `edges:${process.pid}:${Date.now()}:`
const stand = new Stand()

const reached = (client: RedisClient): EdgePlace => ({
  source: client,
  disconnect: () => client.disconnect(),
})
const kept = (source: EdgePlace['source']): EdgePlace => ({ source, disconnect: () => undefined })

const places: Readonly<Record<string, () => EdgePlace>> = {
  memory: () => kept(new MemoryStore()),
  SQLite: () => kept(sqlite(stand.path())),
  standalone: () => reached(standaloneClient({ ...inject('servers').standalone, keyPrefix })),
  cluster: () => reached(clusterClient(inject('servers').cluster.startupNodes, { keyPrefix })),
}

describe.each(Object.entries(places))('edges (%s)', (where, open) => {
  edgeCases(open, where === 'memory' ? 300 : 60)
})
