/** Callers of a quorum's lock have no line, and are served all the same. */
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { Holdfast, quorum } from '../../src/index.js'
import { bringServer, type Server } from '../servers/index.js'
import { standaloneClient } from '../setup/clients.js'

const CLIENTS = 4
const SECTIONS = 200

let servers: Server[] = []
beforeAll(async () => {
  const { flavour } = inject('servers')
  servers = await Promise.all([1, 2, 3].map(() => bringServer({ flavour })))
})
afterAll(async () => {
  await Promise.all(servers.map((server) => server.stop()))
})

test('faults B1, W3: four clients in a loop: each has its share, and nobody is passed by for long', async () => {
  const made = Array.from({ length: CLIENTS }, () => {
    const clients = servers.map(({ host, port }) => standaloneClient({ host, port }))
    return { clients, holdfast: new Holdfast(quorum(clients)) }
  })
  const turns: number[] = []
  await Promise.all(
    made.map(async ({ holdfast }, index) => {
      while (turns.length < SECTIONS) {
        await holdfast.lock('turns').withLock(async () => {
          turns.push(index)
          await new Promise((resolve) => setTimeout(resolve, 5))
        })
      }
    }),
  )
  const counts = made.map((_, index) => turns.filter((each) => each === index).length)
  for (const count of counts) expect(count).toBeGreaterThan(SECTIONS / CLIENTS / 3)
  for (const { holdfast, clients } of made) {
    await holdfast.close()
    for (const client of clients) client.disconnect()
  }
}, 120_000)
