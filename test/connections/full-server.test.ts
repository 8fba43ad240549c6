import { expect, inject, onTestFinished, test } from 'vitest'
import { Holdfast } from '../../src/index.js'
import { withAdmin } from '../servers/admin.js'
import { bringServer } from '../servers/index.js'
import { matrixLibraries, standaloneClient } from '../setup/clients.js'
import { eventually } from '../setup/eventually.js'
import { later } from '../setup/later.js'

test('faults E3: a server has no room for a connection: who waits goes on, and a release is repeated', async () => {
  const server = await bringServer({ flavour: inject('servers').flavour, args: [] })
  onTestFinished(() => server.stop())
  const all = matrixLibraries.map((library) => {
    const client = standaloneClient({ host: server.host, port: server.port }, library)
    const holdfast = new Holdfast(client, { commandTimeoutMs: 1_000, storeTimeoutMs: 30_000 })
    onTestFinished(async () => {
      await holdfast.close()
      client.disconnect()
    })
    return { library, holdfast }
  })
  const holds = await Promise.all(all.map(({ library, holdfast }) => holdfast.lock(library).acquire()))
  const outcomes = await withAdmin(server, async (command) => {
    await command('CONFIG', 'SET', 'maxclients', 1)
    for (const type of ['normal', 'pubsub']) await command('CLIENT', 'KILL', 'TYPE', type, 'SKIPME', 'yes')
    const told = await Promise.all(
      all.map(({ holdfast }) =>
        holdfast
          .lock('other')
          .tryAcquire()
          .catch((error: unknown) => error),
      ),
    )
    const calls = later(
      Promise.allSettled([
        ...holds.map((hold) => hold.release()),
        ...all.map(({ library, holdfast }) => holdfast.lock(`${library}:next`).acquire({ waitMs: 20_000 })),
      ]),
    )
    const rejections = async (): Promise<number> =>
      Number(/rejected_connections:(\d+)/.exec(String(await command('INFO', 'stats')))?.[1])
    const before = await rejections()
    await eventually(async () => (await rejections()) > before + 3 * all.length)
    await command('CONFIG', 'SET', 'maxclients', 1_000)
    return { told, settled: await calls }
  })
  for (const error of outcomes.told)
    expect(error).toMatchObject({
      code: 'STORE_ERROR',
      transient: true,
      reason: expect.stringMatching(/not-ready|unreachable/),
    })
  expect(outcomes.settled.filter(({ status }) => status === 'rejected')).toEqual([])
  const [free] = all
  for (const { library } of all) expect(await free?.holdfast.lock(library).isLocked()).toBe(false)
})
