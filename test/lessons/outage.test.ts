/** What others' locks did when the server hung, failed or came back. On a server of its own. */
import process from 'node:process'
import { afterEach, expect, test } from 'vitest'
import { PrivateServer } from '../redisson/private-server.js'
import { duringAll } from '../setup/during.js'
import { span } from '../setup/span.js'

const place = duringAll(() => PrivateServer.bring())
afterEach(() => place.tidy())

test('ioredis: a server that hangs with many commands under way prints no warning of leaking listeners', async () => {
  const warnings: string[] = []
  const onWarning = ({ name: kind }: Error): number => warnings.push(kind)
  process.on('warning', onWarning)
  try {
    const holdfast = place.holdfast({ commandTimeoutMs: 100 })
    const holds = await Promise.all(
      Array.from({ length: 30 }, (_, index) => holdfast.lock(`outage:${index}`).acquire()),
    )
    await place.server.pause()
    const releases = Promise.all(
      holds.map(async (hold, index) => {
        // Sent one after the other, so that their deadlines pass one after the other too.
        await span(index * 5)
        await hold.release()
      }),
    )
    await span(500)
    await place.server.resume()
    await releases
    expect(warnings).toEqual([])
  } finally {
    process.off('warning', onWarning)
  }
})
