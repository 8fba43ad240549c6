/** What others' locks did when the server hung, failed or came back. On a server of its own. */
import process from 'node:process'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { Forked } from '../redisson/forked.js'
import { PrivateServer } from '../redisson/private-server.js'
import { duringAll } from '../setup/during.js'

let round = 0
let name = ''

const place = duringAll(() => PrivateServer.bring())
beforeEach(() => {
  round += 1
  name = `outage:${round}`
})
afterEach(async () => {
  await Forked.killAll()
  await place.tidy()
})

describe('commands that may have been carried out', () => {
  test('ioredis: a server that hangs with many commands under way prints no warning of leaking listeners', async () => {
    const warnings: string[] = []
    const onWarning = ({ name: kind }: Error): number => warnings.push(kind)
    process.on('warning', onWarning)
    try {
      const holdfast = place.holdfast({ commandTimeoutMs: 100 })
      const holds = await Promise.all(
        Array.from({ length: 30 }, (_, index) => holdfast.lock(`${name}:${index}`).acquire()),
      )
      await place.server.pause()
      const releases = Promise.all(
        holds.map(async (hold, index) => {
          // Sent one after the other, so that their deadlines pass one after the other too.
          await pauseMs(index * 5)
          await hold.release()
        }),
      )
      await pauseMs(500)
      await place.server.resume()
      await releases
      expect(warnings).toEqual([])
    } finally {
      process.off('warning', onWarning)
    }
  })
})

/** The time is the fault here: how long the server hangs. */
async function pauseMs(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms))
}
