/** A real Prometheus looks at a client, and answers the queries of the dashboard and of the docs. */
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import process from 'node:process'
import { Registry } from 'prom-client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expose } from '../../src/integrations/prometheus/index.js'
import { eventually } from '../setup/eventually.js'
import { placeOf } from '../setup/places.js'
import { Prometheus } from './prometheus.js'

const refusal = await Prometheus.refusal()
if (refusal !== undefined && process.env['CI']) throw new Error(`no Prometheus is to be had: ${refusal}`)

/** What an exposition could stumble over. */
const HOSTILE = 'a"b\\c\n# TYPE evil counter\nevil 1\n\u0000\u001b[31m{x="1"}💥'

const root = new URL('../../', import.meta.url)
/** The queries of the dashboard, with a value for each of Grafana's variables. */
const { panels }: { panels: ReadonlyArray<{ targets: ReadonlyArray<{ expr: string }> }> } = JSON.parse(
  await readFile(new URL('etc/grafana/holdfast.json', root), 'utf8'),
)
const dashboard = panels.flatMap(({ targets }) =>
  targets.map(({ expr }) => expr.replace(/\$__(rate_interval|range)/g, '5m').replace(/"\$\w+"/g, '".*"')),
)
/** Those of the docs, a line each. */
const docs = await readFile(new URL('docs/prometheus.md', root), 'utf8')
const page = [...docs.matchAll(/^```promql\n(.*?)^```/gms)].flatMap(([, block = '']) =>
  block.split('\n').filter((line) => line !== ''),
)

describe.skipIf(refusal !== undefined)(`a Prometheus${refusal ? `: ${refusal}` : ''}`, () => {
  const place = placeOf('memory')
  const registry = new Registry()
  let server: Server
  let prometheus: Prometheus

  beforeAll(async () => {
    server = createServer(async (_request, response) => {
      response.setHeader('Content-Type', registry.contentType).end(await registry.metrics())
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const [hostile, plain] = [place.holdfast(), place.holdfast()]
    expose(hostile, { registry, client: HOSTILE, groupOf: (name) => name })
    expose(plain, { registry, client: 'plain', groupOf: () => 'group' })
    await hostile.lock(HOSTILE).withLock(() => undefined)
    prometheus = await Prometheus.start(`127.0.0.1:${Object(server.address()).port}`)
    // A rate needs two looks, and something that happens between them.
    const rises = async (): Promise<boolean> => {
      await plain.lock(place.lockName()).withLock(() => undefined)
      const [rate] = await prometheus.query('rate(holdfast_acquired_total{client="plain"}[5m])')
      return Number(rate?.value[1]) > 0
    }
    await eventually(rises, Boolean, 60_000)
  }, 300_000)
  afterAll(async () => {
    await prometheus.stop()
    server.closeAllConnections()
    server.close()
    await place.tidy()
  })

  test('takes the exposition as it is, whatever clients and locks are called', async () => {
    expect(await prometheus.health()).toBe('up')
    const waits = await prometheus.query('holdfast_wait_seconds_count')
    expect(waits.map(({ metric: { client, group, kind } }) => ({ client, group, kind }))).toEqual([
      { client: HOSTILE, group: HOSTILE, kind: 'lock' },
      { client: 'plain', group: 'group', kind: 'lock' },
    ])
    expect(await prometheus.query('evil')).toEqual([])
  })

  test('has queries to answer', () => {
    expect(dashboard.length).toBeGreaterThan(15)
    expect(page.length).toBeGreaterThan(2)
  })

  test.each(dashboard)('answers a query of the dashboard: %s', async (query) => {
    expect(await prometheus.query(query)).not.toEqual([])
  })

  test.each(page)('understands a query of the docs, which asks for metrics that exist: %s', async (query) => {
    await prometheus.query(query)
    for (const [metric] of query.matchAll(/holdfast_\w+/g))
      expect(await prometheus.query(metric)).not.toEqual([])
  })
})
