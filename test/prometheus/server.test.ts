/** A real Prometheus looks at a client, and answers the queries of the dashboard and of the docs. */
import { readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import process from 'node:process'
import { Registry } from 'prom-client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expose } from '../../src/integrations/prometheus/index.js'
import { eventually } from '../setup/eventually.js'
import { placeOf } from '../setup/places.js'
import { Prometheus } from './prometheus.js'
import { queriesOfDashboard, queriesOfPage } from './queries.js'

const refusal = await Prometheus.refusal()
if (refusal !== undefined && process.env['CI']) throw new Error(`no Prometheus is to be had: ${refusal}`)

/** What an exposition could stumble over. */
const HOSTILE = 'a"b\\c\n# TYPE evil counter\nevil 1\n\u0000\u001b[31m{x="1"}💥'

const root = new URL('../../', import.meta.url)
const dashboard = queriesOfDashboard(await readFile(new URL('etc/grafana/holdfast.json', root), 'utf8'))
const page = queriesOfPage(await readFile(new URL('docs/prometheus.md', root), 'utf8'))

describe.skipIf(refusal !== undefined)(`a Prometheus${refusal ? `: ${refusal}` : ''}`, () => {
  const place = placeOf('memory')
  const registry = new Registry()
  let server: Server
  let prometheus: Prometheus

  beforeAll(async () => {
    server = createServer((_request, response) => {
      void registry.metrics().then((text) => {
        response.setHeader('Content-Type', registry.contentType)
        response.end(text)
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    if (typeof address !== 'object' || !address) throw new Error('the server has no port')
    const [hostile, plain] = [place.holdfast(), place.holdfast()]
    expose(hostile, { registry, client: HOSTILE, groupOf: (name) => name })
    expose(plain, { registry, client: 'plain', groupOf: () => 'group' })
    await hostile.lock(HOSTILE).withLock(() => undefined)
    prometheus = await Prometheus.start(`127.0.0.1:${address.port}`)
    // A rate needs two looks, and something that happens between them.
    await eventually(
      async () => {
        await plain.lock(place.lockName()).withLock(() => undefined)
        const [rate] = await prometheus.query('rate(holdfast_acquired_total{client="plain"}[5m])')
        return Number(rate?.value[1]) > 0
      },
      Boolean,
      60_000,
    )
  }, 300_000)
  afterAll(async () => {
    await prometheus[Symbol.asyncDispose]()
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
