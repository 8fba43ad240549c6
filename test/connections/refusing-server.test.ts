import { describe, expect, inject, test } from 'vitest'
import { Scene } from '../fault/scene.js'
import { withAdmin } from '../servers/admin.js'
import { bringServer } from '../servers/index.js'
import { matrixLibraries, standaloneClient } from '../setup/clients.js'
import { duringEach } from '../setup/during.js'
import { eventually } from '../setup/eventually.js'
import { later, rejection } from '../setup/later.js'
import { clients, holdfasts } from './scenes.js'

const DATABASE = 3

const server = duringEach(() => bringServer({ flavour: inject('servers').flavour, args: [] }))
const holdfastOn = holdfasts()

test('faults E3: a server has no room for a connection: who waits goes on, and a release is repeated', async () => {
  const all = matrixLibraries.map((library) => {
    const client = standaloneClient({ host: server.host, port: server.port }, library)
    return { library, holdfast: holdfastOn(client, { commandTimeoutMs: 1_000, storeTimeoutMs: 30_000 }) }
  })
  const holds = await Promise.all(all.map(({ library, holdfast }) => holdfast.lock(library).acquire()))
  const outcomes = await withAdmin(server, async (command) => {
    await command('CONFIG', 'SET', 'maxclients', 1)
    for (const type of ['normal', 'pubsub']) await command('CLIENT', 'KILL', 'TYPE', type, 'SKIPME', 'yes')
    const told = await Promise.all(
      all.map(({ holdfast }) => rejection(() => holdfast.lock('other').tryAcquire())),
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
  const reason = expect.stringMatching(/not-ready|unreachable/)
  for (const error of outcomes.told)
    expect(error).toMatchObject({ code: 'STORE_ERROR', transient: true, reason })
  expect(outcomes.settled.filter(({ status }) => status === 'rejected')).toEqual([])
  const [free] = all
  for (const { library } of all) expect(await free?.holdfast.lock(library).isLocked()).toBe(false)
})

describe.each(clients)('a server that refuses the database ($what)', ({ library, client }) => {
  const scene = duringEach(() => Scene.standalone(library, server))

  test('since it has not so many: nothing is locked in another one', async () => {
    const holdfast = scene.holdfast({}, { client: { ...client, db: 99 } })
    await expect(holdfast.lock(scene.name).acquire()).rejects.toMatchObject({
      code: 'STORE_ERROR',
      reason: 'permission',
      message: expect.stringContaining('no database of that number'),
      cause: expect.objectContaining({ message: expect.stringContaining('DB index') }),
    })
    expect(await scene.holds()).toEqual({})
  })

  test('since the user may not select: it is told, and let in when it may', async () => {
    const user = { username: 'clerk', password: 'secret' }
    await withAdmin(server, (command) =>
      command('ACL', 'SETUSER', 'clerk', 'on', '>secret', '~*', '&*', '+@all', '-select'),
    )
    const holdfast = scene.holdfast({}, { client: { ...client, ...user, db: DATABASE } })
    await expect(holdfast.lock(scene.name).acquire()).rejects.toMatchObject({ reason: 'permission' })
    expect(await scene.holds()).toEqual({})
    await withAdmin(server, (command) => command('ACL', 'SETUSER', 'clerk', '+select'))
    const hold = await holdfast.lock(scene.name).acquire()
    expect(await scene.holds()).toEqual({})
    await hold.release()
  })

  test('since a script keeps it busy: who connects meanwhile does not get past who holds the lock', async () => {
    const options = { ...client, db: DATABASE, enableReadyCheck: false }
    const holder = scene.holdfast({}, { client: options })
    const hold = await holder.lock(scene.name).acquire()
    await withAdmin(server, (command) => command('CONFIG', 'SET', 'busy-reply-threshold', '1'))
    const script = scene.direct.eval(BUSY, 0).catch(String)
    await eventually(() => rejection(() => withAdmin(server, (command) => command('PING'))))
    const late = scene.holdfast({}, { client: options }).lock(scene.name).acquire({ waitMs: 60_000 })
    let entered = false
    late.then(() => {
      entered = true
    }, String)
    await script
    // Once it stands in line it has asked.
    await eventually(async () => (await holder.lock(scene.name).countWaitingClients()) === 1)
    expect(entered).toBe(false)
    expect(await scene.holds()).toEqual({})
    await hold.release()
    await (await late).release()
  })
})

/** Keeps the server busy for a second. */
const BUSY = `
local function now() local time = redis.call('TIME') return time[1] + time[2] / 1e6 end
local ends = now() + 1
while now() < ends do end
`
