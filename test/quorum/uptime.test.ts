import { expect, inject, test } from 'vitest'
import { identityOf } from '../../src/stores/redis/connection/server-identity.js'
import { bringServer } from '../servers/index.js'
import { standaloneClient } from '../setup/clients.js'

test('H21: a server is never said to run for longer than it does, wherever between two seconds it began', async () => {
  const server = await bringServer({ flavour: inject('servers').flavour })
  const client = standaloneClient({ host: server.host, port: server.port })
  client.on('error', () => undefined)
  try {
    // Late in a second: a server that subtracts the seconds of its clock says one of them very soon.
    await new Promise((resolve) => setTimeout(resolve, (1_600 - (Date.now() % 1_000)) % 1_000))
    const begunAt = performance.now()
    await server.restart({ keepData: false })
    const send = (_: unknown, command: string, ...args: Array<string | number | Buffer>) =>
      client.call(command, ...args)
    for (let told = 0; told < 3_000; ) {
      const { uptimeMs } = await identityOf({ send })
      expect(uptimeMs).toBeLessThanOrEqual(performance.now() - begunAt)
      told = Number(/uptime_in_seconds:(\d+)/.exec(String(await client.call('INFO', 'server')))?.[1]) * 1_000
    }
  } finally {
    client.disconnect()
    await server.stop()
  }
})
