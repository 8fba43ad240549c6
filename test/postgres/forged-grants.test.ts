/**
 * Whoever may connect to the database, and has no rights on the table, lets nobody in beside the holder: not by a grant that it makes up, and
 * not by one that it has heard. Nor does it keep anybody waiting.
 */
import { randomUUID } from 'node:crypto'
import pg, { type Client } from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { Holdfast, type Lock } from '../../src/index.js'
import { postgres } from '../../src/stores/postgres/index.js'
import { until } from '../servers/until.js'
import { onDatabases } from '../setup/databases.js'

const PROOF = '0'.repeat(64)

/** How a kind is held, and waited for; the mode of the place, and the keyspace. */
const kinds = {
  lock: [(client: Holdfast, name: string) => client.lock(name), 'x', 'lock'],
  fencedLock: [(client: Holdfast, name: string) => client.fencedLock(name), 'f', 'lock'],
  fairLock: [(client: Holdfast, name: string) => client.fairLock(name), 'x', 'lock'],
  readLock: [(client: Holdfast, name: string) => client.readWriteLock(name).readLock(), 'r', 'read-write'],
  writeLock: [(client: Holdfast, name: string) => client.readWriteLock(name).writeLock(), 'w', 'read-write'],
} as const
type Kind = keyof typeof kinds

await onDatabases(['PostgreSQL'], (database) => {
  const role = `stranger_${randomUUID().replaceAll('-', '')}`
  let pool: pg.Pool
  let stranger: Client
  let name: string
  let holding: Holdfast
  let waiting: Holdfast
  let errors: unknown[]

  beforeAll(async () => {
    const { host, port, user, password, database: base } = database().address
    pool = new pg.Pool({ host, port, user, password, database: base })
    pool.on('error', () => undefined)
    await pool.query(`CREATE ROLE ${role} LOGIN PASSWORD '${role}'`)
    stranger = new pg.Client({ host, port, user: role, password: role, database: base })
    await stranger.connect()
    const setUp = new Holdfast(postgres(pool, { createTable: true }))
    await setUp.lock('any').isLocked()
    await setUp.close()
  })
  afterAll(async () => {
    await stranger?.end()
    await pool?.query(`DROP ROLE ${role}`)
    await pool?.end()
  })
  beforeEach(() => {
    name = randomUUID()
    errors = []
    ;[holding, waiting] = [new Holdfast(postgres(pool)), new Holdfast(postgres(pool))]
    for (const client of [holding, waiting]) client.on('error', (error) => errors.push(error))
  })
  afterEach(async () => {
    await Promise.all([holding.close(), waiting.close()])
  })

  const clientId = (): string => waiting.owner().split(':')[0] ?? ''
  const channel = (): string => `holdfast_${clientId().split('~')[0]?.replaceAll('-', '')}`
  const notify = async (payload: string): Promise<void> => {
    await stranger.query('SELECT pg_notify($1, $2)', [channel(), payload])
  }
  const heldFor = (kind: Kind): Lock => kinds[kind === 'readLock' ? 'writeLock' : kind][0](holding, name)
  const standsInLine = (): Promise<unknown> =>
    until(
      async () => {
        const { rows } = await pool.query('SELECT waiting FROM holdfast_locks WHERE name = $1', [name])
        return rows[0]?.waiting.includes(clientId())
      },
      { what: 'it stands in line' },
    )
  /** Whether a call has been let in after the client has heard, and asked. */
  const entersAfter = async (entering: Promise<unknown>, lock: Lock): Promise<boolean> => {
    let entered = false
    const enter = (): void => {
      entered = true
    }
    entering.then(enter, enter)
    for (let look = 0; look < 20; look += 1) await lock.isLocked()
    return entered
  }

  test('a stranger has no rights on the table', async () => {
    await expect(stranger.query('SELECT * FROM holdfast_locks')).rejects.toMatchObject({ code: '42501' })
  })

  test.each(Object.keys(kinds) as Kind[])(
    'faults A3: a grant of a %s that somebody has made up lets nobody in',
    async (kind) => {
      const [of, mode, keyspace] = kinds[kind]
      const hold = await heldFor(kind).acquire()
      const entering = of(waiting, name).acquire()
      await standsInLine()
      const { rows } = await pool.query('SELECT extract(epoch FROM clock_timestamp())::float8 AS now')
      const atUs = Math.floor((rows[0].now + 1) * 1_000_000)
      for (let number = 0; number < 20; number += 1) {
        const letIn = `${mode}:${clientId()}:${number}`
        const grant = JSON.stringify({ letIn, atUs, leaseMs: 5_000, fence: '7' })
        for (const text of [grant, ` ${grant}`, `${PROOF} ${grant}`])
          for (const begin of ['0.0', '0.0.0'])
            await notify(`${begin}:${JSON.stringify([keyspace, name, text])}`)
      }
      expect(await entersAfter(entering, of(waiting, name))).toBe(false)
      hold.assertHeld()
      await hold.release()
      await (await entering).release()
    },
  )

  test('faults A3: a grant that somebody has heard, and sends again, lets nobody in', async () => {
    const heard: string[] = []
    stranger.on('notification', ({ payload = '' }) => heard.push(payload))
    await stranger.query(`LISTEN "${channel()}"`)
    const owner = waiting.owner()
    const lock = waiting.lock(name)
    const enter = async (): Promise<void> => {
      const hold = await holding.lock(name).acquire()
      const entering = lock.acquire({ owner })
      await standsInLine()
      for (const payload of [...heard]) await notify(payload)
      expect(await entersAfter(entering, lock)).toBe(false)
      await hold.release()
      await (await entering).release()
    }
    await enter()
    await until(() => heard.some((payload) => payload.includes(owner)), { what: 'the stranger hears' })
    await enter()
    await stranger.query('UNLISTEN *')
  })

  test('faults A3: what somebody sends keeps no message from being read, nor anybody waiting', async () => {
    const hold = await holding.lock(name).acquire()
    const entering = waiting.lock(name).acquire()
    await standsInLine()
    const later = JSON.stringify(['lock', name, JSON.stringify({ lookInMs: 1e12 })])
    // Of messages that never end; one that says to look much later; and at last one that is none.
    for (const payload of ['0.0.9:x', `0.0.0:${later}`, '0.0.1:["lock",', '0.1:x']) await notify(payload)
    await hold.release()
    await (await entering).release()
    expect(errors).toEqual([expect.objectContaining({ reason: 'unreadable' })])
  })

  test('faults A3: however much somebody sends that is no message, the application is told once', async () => {
    const hold = await holding.lock(name).acquire()
    const entering = waiting.lock(name).acquire()
    await standsInLine()
    const strange = JSON.stringify(['lock', name, 'x'])
    for (let sent = 0; sent < 50; sent += 1)
      await notify(sent % 2 === 0 ? `${sent}.1:x` : `${sent}.0.0:${strange}`)
    // Messages come in order: what lets it in is the last.
    await hold.release()
    await (await entering).release()
    expect(errors).toEqual([expect.objectContaining({ reason: 'unreadable' })])
  })
})
