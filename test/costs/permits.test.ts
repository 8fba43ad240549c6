/** What a permit costs that goes from process to process: one command to wait for it, one to give it on. */
import { Redis } from 'ioredis5'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { Holdfast } from '../../src/index.js'
import { bringServer, type Server } from '../servers/index.js'
import { standaloneClient } from '../setup/clients.js'
import { eventually } from '../setup/eventually.js'

const SECTIONS = 200

describe.each(['semaphore', 'permitExpirableSemaphore'] as const)('%s', (kind) => {
  let server: Server
  let direct: Redis
  beforeAll(async () => {
    server = await bringServer({ flavour: inject('servers').flavour })
    direct = new Redis({ host: server.host, port: server.port })
  })
  afterAll(async () => {
    direct.disconnect()
    await server.stop()
  })

  async function commands(): Promise<number> {
    const stats = await direct.info('commandstats')
    const counted = stats.matchAll(/cmdstat_(?:evalsha|eval|subscribe|unsubscribe):calls=(\d+)/g)
    return [...counted].reduce((sum, [, calls]) => sum + Number(calls), 0)
  }

  test.each([2, 8, 32])(
    'faults B1: %i processes in a loop: two commands a section',
    async (processes) => {
      const name = `permits:${processes}`
      const clients = Array.from({ length: processes }, () => {
        const client = standaloneClient({ host: server.host, port: server.port })
        return { client, holdfast: new Holdfast(client) }
      })
      const [first] = clients
      if (!first) throw new Error('there are some')
      const semaphore = first.holdfast[kind](name)
      await semaphore.trySetPermits(1)
      const blocked = await semaphore.acquire()
      let sections = 0
      const loops = clients.map(async ({ holdfast }) => {
        while (sections < SECTIONS) {
          const hold = await holdfast[kind](name).acquire()
          sections += 1
          // All the others are in line by the time it ends. To ask for that takes none of the commands that count.
          if (sections < SECTIONS)
            await eventually(async () => (await semaphore.countWaitingClients()) === processes - 1)
          await hold.release()
        }
      })
      await eventually(async () => (await semaphore.countWaitingClients()) === processes)
      // Who stands in line listens to what clients outside it give back: that subscription is none of what a section costs.
      await eventually(async () => (await direct.pubsub('NUMSUB', `redisson_sc:{${name}}`))[1] === processes)
      const before = await commands()
      await blocked.release()
      await eventually(() => sections >= SECTIONS, undefined, 60_000)
      const each = ((await commands()) - before) / sections
      await Promise.all(loops)
      expect(each).toBeLessThanOrEqual(2.2)
      for (const { holdfast, client } of clients) {
        await holdfast.close()
        client.disconnect()
      }
    },
    120_000,
  )
})
