import { describe, expect, inject, test } from 'vitest'
import { Scene } from '../fault/scene.js'
import { withAdmin } from '../servers/admin.js'
import { bringServer } from '../servers/index.js'
import { duringEach } from '../setup/during.js'
import { eventually } from '../setup/eventually.js'

const DATABASE = 3

describe.each([
  { who: 'ioredis 6, RESP3', library: 'ioredis-6', client: {} },
  { who: 'ioredis 6, RESP2', library: 'ioredis-6', client: { protocol: 2 } },
  { who: 'ioredis 5', library: 'ioredis-5', client: {} },
  { who: 'iovalkey', library: 'iovalkey', client: {} },
] as const)('a server that refuses the database ($who)', ({ library, client }) => {
  const server = duringEach(() => bringServer({ flavour: inject('servers').flavour, args: [] }))
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
    await eventually(() =>
      withAdmin(server, (command) => command('PING')).then(
        () => false,
        () => true,
      ),
    )
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
