/** How a client hears of others that want a lock which it keeps (rule W9). */
import { randomUUID } from 'node:crypto'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, test } from 'vitest'
import type { Holdfast } from '../../src/index.js'
import { keptByProcesses } from '../kept/processes.cases.js'
import { EtcdServer } from '../servers/etcd/index.js'
import { type StandIn, standIn } from '../servers/stand-in.js'
import { duringAll } from '../setup/during.js'
import { eventually } from '../setup/eventually.js'
import { holdfastOn, wireTo } from './scene.js'

const server = duringAll(() => EtcdServer.start())

/** Beyond the end of any test. */
const options = { watchdogMs: 240_000, lingerMs: 240_000 }

/** A lock that its process keeps, with nobody inside. */
async function kept(url = server.url) {
  const holdfast: Holdfast = holdfastOn({ hosts: url }, options)
  const lock = holdfast.lock(`kept-${randomUUID()}`)
  await eventually(async () => {
    await (await lock.acquire()).release()
    return (await lock.inspect()).lingering
  })
  return { holdfast, lock }
}

test('W9: a connection that breaks may have kept a question from it: it lets go', async () => {
  const { wire, url } = await wireTo(server)
  const { holdfast } = await kept(url)
  wire.breakAll()
  await eventually(() => holdfast.census.tenures === 0)
})

describe('by a process', () => {
  let way: StandIn
  beforeAll(async () => {
    // A server may drop a request whose connection ends before it has begun with it: this one does not learn of that end.
    way = await standIn((client) => {
      const there = connect(server.port, '127.0.0.1').on('error', () => undefined)
      client.pipe(there, { end: false })
      there.pipe(client)
    })
  })
  afterAll(() => way?.stop())
  keptByProcesses({
    at: () => ({ to: 'etcd', hosts: [`http://${way.address}`] }),
    server: () => ({ host: '127.0.0.1', port: server.port }),
    over: ({ host, port }) => ({ to: 'etcd', hosts: [`http://${host}:${port}`] }),
  })
})
