/** A user that may take permits and not give them back: nothing is done by halves. */
import { describe, expect, inject, test } from 'vitest'
import { Scene } from '../fault/scene.js'
import { bringServer } from '../servers/index.js'
import { duringEach } from '../setup/during.js'
import { eventually } from '../setup/eventually.js'
import { lasting } from '../setup/lasting.js'

const PERMITS = 2

describe.each(['semaphore', 'permitExpirableSemaphore'] as const)('%s', (kind) => {
  const server = duringEach(() => bringServer({ flavour: inject('servers').flavour, args: [] }))
  const scene = duringEach(() => Scene.standalone('ioredis-6', server))

  test('W2: who is forbidden to listen while it waits keeps its connection, and asks again and again', async () => {
    await scene.direct.call('ACL', 'SETUSER', 'clerk', 'on', '>secret', '~*', '&*', '+@all')
    const restricted = scene.holdfast({}, { client: { username: 'clerk', password: 'secret' } })
    const other = scene.holdfast()[kind](scene.name)
    await other.trySetPermits(PERMITS)
    const hold = await other.acquire({ permits: PERMITS })
    const waiting = restricted[kind](scene.name).acquire()
    await eventually(async () => (await scene.channels()).length > 0)
    await scene.direct.call('ACL', 'SETUSER', 'clerk', 'resetchannels')
    await hold.release()
    await (await waiting).release()
    expect(await restricted[kind](scene.name).availablePermits()).toBe(PERMITS)
  })

  test.each(['-incrby', '-hdel', '-zrem'])(
    'X2: permits stay taken, and come back with their lease (%s)',
    async (rule) => {
      await scene.direct.call('ACL', 'SETUSER', 'clerk', 'on', '>secret', '~*', '&*', '+@all', rule)
      const login = { client: { username: 'clerk', password: 'secret' } }
      const taken = scene.holdfast({}, login)[kind](scene.name)
      const other = scene.holdfast()[kind](scene.name)
      await other.trySetPermits(PERMITS)
      const hold = await taken.acquire({ permits: PERMITS, leaseMs: lasting(1_000) })
      const release = await hold.release().catch((error) => error.reason)
      expect(release).toBe(kind === 'semaphore' || rule !== '-hdel' ? 'permission' : undefined)
      // Whoever may not give back looks after the lease has ended, too.
      await eventually(async () => (await taken.availablePermits().catch(() => PERMITS)) === PERMITS)
      await eventually(async () => (await other.availablePermits()) === PERMITS)
    },
  )
})
