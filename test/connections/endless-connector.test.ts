import { expect, inject, test } from 'vitest'
import { Holdfast } from '../../src/index.js'
import { clusterClient } from '../setup/clients.js'

const COMMAND_TIMEOUT_MS = 500
/** How much later than its bound a call may end on a busy machine. */
const SLACK_MS = 1_500

test('H2: a name server that hangs, of which a cluster’s client never reports an end: calls end in time, later ones succeed', async () => {
  const { startupNodes } = inject('servers').cluster
  let hangs = true
  // The client library asks for every name, and waits for the answer before anything else.
  const dnsLookup = (_name: string, answer: (error: null, address: string) => void): void => {
    if (!hangs) answer(null, '127.0.0.1')
  }
  const nodes = startupNodes.map(({ port }) => ({ host: 'localhost', port }))
  const client = clusterClient(nodes, { dnsLookup })
  const holdfast = new Holdfast(client, { commandTimeoutMs: COMMAND_TIMEOUT_MS })
  const lock = holdfast.lock(`endless:${process.pid}`)
  const failure = { code: 'STORE_ERROR', transient: true }
  for (let call = 0; call < 2; call += 1) {
    const startedAt = performance.now()
    await expect(lock.tryAcquire()).rejects.toMatchObject(failure)
    expect(performance.now() - startedAt).toBeLessThan(COMMAND_TIMEOUT_MS + SLACK_MS)
  }
  hangs = false
  const hold = await lock.acquire({ waitMs: 10_000 })
  await hold.release()
  hangs = true
  const closedAt = performance.now()
  await holdfast.close()
  expect(performance.now() - closedAt).toBeLessThan(SLACK_MS)
  client.disconnect()
})
