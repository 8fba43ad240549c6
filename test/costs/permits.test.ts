/** What a permit costs that goes from process to process: one command to wait for it, one to give it on. */
import { afterEach, describe, expect, test } from 'vitest'
import { PrivateServer } from '../redisson/private-server.js'
import { duringAll } from '../setup/during.js'
import { eventually } from '../setup/eventually.js'

const SECTIONS = 200

describe.each(['semaphore', 'permitExpirableSemaphore'] as const)('%s', (kind) => {
  const server = duringAll(() => PrivateServer.bring())
  afterEach(() => server.tidy())

  async function commands(): Promise<number> {
    const counted = ['evalsha', 'eval', 'subscribe', 'unsubscribe'].map((command) => server.calls(command))
    return (await Promise.all(counted)).reduce((sum, calls) => sum + calls, 0)
  }

  test.each([2, 8, 32])(
    'faults B1: %i processes in a loop: two commands a section',
    async (processes) => {
      const name = `permits:${processes}`
      const handles = Array.from({ length: processes }, () => server.holdfast()[kind](name))
      const semaphore = server.holdfast()[kind](name)
      await semaphore.trySetPermits(1)
      const blocked = await semaphore.acquire()
      const untilInLine = (clients: number): Promise<unknown> =>
        eventually(async () => (await semaphore.countWaitingClients()) === clients)
      let sections = 0
      const loops = handles.map(async (handle) => {
        while (sections < SECTIONS) {
          const hold = await handle.acquire()
          sections += 1
          // All the others are in line by the time it ends. To ask for that takes none of the commands that count.
          if (sections < SECTIONS) await untilInLine(processes - 1)
          await hold.release()
        }
      })
      await untilInLine(processes)
      // Who stands in line listens to what clients outside it give back: that subscription is none of what a section costs.
      const channel = `redisson_sc:{${name}}`
      await eventually(async () => [await server.ask('PUBSUB', 'NUMSUB', channel)].flat()[1] === processes)
      const before = await commands()
      await blocked.release()
      await eventually(() => sections >= SECTIONS, undefined, 60_000)
      const each = ((await commands()) - before) / sections
      await Promise.all(loops)
      expect(each).toBeLessThanOrEqual(2.2)
    },
    120_000,
  )
})
