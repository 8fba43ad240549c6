/** Whoever may connect to the database, without rights on the table, lets nobody in by a grant made up or overheard, and keeps nobody waiting. */
import { randomUUID } from 'node:crypto'
import pg, { type Client } from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Holdfast, Lock } from '../../src/index.js'
import { until } from '../servers/until.js'
import { missing, Stand, title } from './server.js'

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

describe.skipIf(missing)(`${title}: forged grants`, () => {
  const stand = new Stand()
  let stranger: Client
  let name: string
  let holding: Holdfast
  let waiting: Holdfast
  let errors: unknown[]

  beforeAll(async () => {
    await stand.pool.query('CREATE ROLE stranger LOGIN')
    const { dir: host, port, database } = stand.address
    stranger = new pg.Client({ host, port, user: 'stranger', database })
    await stranger.connect()
  })
  afterAll(() => stranger?.end())
  beforeEach(() => {
    name = randomUUID()
    ;[holding, waiting] = [stand.holdfast(), stand.holdfast()]
    errors = []
    for (const client of [holding, waiting]) client.on('error', (error) => errors.push(error))
  })

  const clientId = (): string => waiting.owner().split(':')[0] ?? ''
  const channel = (): string => `holdfast_${clientId().split('~')[0]?.replaceAll('-', '')}`
  const notify = async (payload: string): Promise<void> => {
    await stranger.query('SELECT pg_notify($1, $2)', [channel(), payload])
  }
  const heldFor = (kind: Kind): Lock => kinds[kind === 'readLock' ? 'writeLock' : kind][0](holding, name)
  const standsInLine = async (): Promise<void> => {
    const row = 'SELECT FROM holdfast_locks WHERE name = $1 AND $2 = ANY (waiting)'
    const stands = async () => (await stand.pool.query(row, [name, clientId()])).rowCount === 1
    await until(stands, { what: 'it stands in line' })
  }
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
      const { rows } = await stand.pool.query('SELECT extract(epoch FROM clock_timestamp())::float8 AS now')
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

  const lookLater = (): string => JSON.stringify(['lock', name, JSON.stringify({ lookInMs: 1e12 })])
  const strange = (): string => JSON.stringify(['lock', name, 'x'])
  test.each<[string, () => string[]]>([
    // Of messages that never end; one that says to look much later; and at last one that is none.
    ['whatever it is', () => ['0.0.9:x', `0.0.0:${lookLater()}`, '0.0.1:["lock",', '0.1:x']],
    [
      'however much it is',
      () => Array.from({ length: 25 }, (_, sent) => [`${sent}.1:x`, `${sent}.0.0:${strange()}`]).flat(),
    ],
  ])(
    'faults A3: what somebody sends, %s, keeps nobody waiting, and the application is told once',
    async (_, sent) => {
      const hold = await holding.lock(name).acquire()
      const entering = waiting.lock(name).acquire()
      await standsInLine()
      for (const payload of sent()) await notify(payload)
      // Messages come in order: what lets it in is the last.
      await hold.release()
      await (await entering).release()
      expect(errors).toEqual([expect.objectContaining({ reason: 'unreadable' })])
    },
  )
})
