/** Edges as Redis, memory and a file keep them; as databases do: test/rows/edges.test.ts. */
import { describe, inject } from 'vitest'
import { MemoryStore } from '../../src/stores/memory/index.js'
import { sqlite } from '../../src/stores/sqlite/index.js'
import { clusterClient, standaloneClient } from '../setup/clients.js'
import { Stand } from '../sqlite/stand.js'
import { type EdgePlace, edgeCases } from './edge-cases.js'

const keyPrefix = `edges:${process.pid}:${Date.now()}:`
const stand = new Stand()

const kept = (source: EdgePlace['source']): EdgePlace => ({ source, disconnect: () => undefined })

const places: Readonly<Record<string, () => EdgePlace>> = {
  memory: () => kept(new MemoryStore()),
  SQLite: () => kept(sqlite(stand.path())),
  standalone: () => {
    const client = standaloneClient({ ...inject('servers').standalone, keyPrefix })
    return { source: client, disconnect: () => client.disconnect() }
  },
  cluster: () => {
    const client = clusterClient(inject('servers').cluster.startupNodes, { keyPrefix })
    return { source: client, disconnect: () => client.disconnect() }
  },
}

describe.each(Object.entries(places))('edges (%s)', (where, open) => {
  edgeCases(open, where === 'memory' ? 300 : 60)
})
