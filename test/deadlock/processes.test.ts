/** Rings of three real processes over three locks, in Redis and in a file; in databases: test/rows/deadlocks.test.ts. */
import { afterAll, afterEach, describe, expect, inject, test } from 'vitest'
import { Holdfast } from '../../src/index.js'
import { slotOf } from '../../src/stores/redis/keys/slot.js'
import { sqlite } from '../../src/stores/sqlite/index.js'
import { Forked } from '../redisson/forked.js'
import { bringServer } from '../servers/index.js'
import { clusterClient, standaloneClient } from '../setup/clients.js'
import { duringAll } from '../setup/during.js'
import { Stand } from '../sqlite/stand.js'
import { heard, labels, type Place, ringOfProcesses } from './members.js'
import { freshNames, ringCases, tracesOf } from './ring-cases.js'

describe.each(['standalone', 'cluster'] as const)('three processes (%s)', (where) => {
  const { standalone, cluster } = inject('servers')
  const place: Place =
    where === 'cluster'
      ? { servers: cluster.startupNodes, cluster: true }
      : { servers: [standalone], cluster: false }
  const direct = where === 'cluster' ? clusterClient(cluster.startupNodes) : standaloneClient(standalone)
  const looking = new Holdfast(direct)
  afterAll(async () => {
    await looking.close()
    direct.disconnect()
  })

  ringCases(
    () => place,
    () => tracesOf(looking),
  )
  test.runIf(where === 'cluster')('its locks are on three nodes', () => {
    expect(new Set(freshNames().map(slotOf)).size).toBe(3)
  })
})

describe('three processes (SQLite)', () => {
  const path = new Stand().path()
  const looking = new Holdfast(sqlite(path))
  afterAll(() => looking.close())
  ringCases(
    () => ({ path }),
    () => tracesOf(looking),
  )
})

describe('a server that restarts meanwhile', () => {
  afterEach(() => Forked.killAll())
  const server = duringAll(() => bringServer({ flavour: inject('servers').flavour }))

  test('K2: loses nothing with its data, and the ring is named all the same', async () => {
    const names = freshNames()
    const place = { servers: [{ host: server.host, port: server.port }], cluster: false }
    const processes = await ringOfProcesses(place, names, { commandTimeoutMs: 500, watchdogMs: 20_000 })
    await server.restart({ keepData: true })
    const words = await Promise.all(processes.map((each) => heard(each, 'deadlock')))
    for (const { labels: told } of words) expect([...told].sort()).toEqual([...labels].sort())
  })
})
