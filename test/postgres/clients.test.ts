/** An application's client is copied, whatever it is set to, and never used. */
import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { Socket } from 'node:net'
import process from 'node:process'
import { createPool } from 'mysql2/promise'
import pg from 'pg'
import postgresJs from 'postgres'
import { describe, expect, onTestFinished, test } from 'vitest'
import { InvalidArgumentError } from '../../src/base/errors/errors.js'
import { until } from '../servers/until.js'
import { type Client, libraryNames, missing, openClient, Stand, sqlOf, title } from './server.js'
import { add, copy, tallies } from './tally.js'

describe.skipIf(missing)(`${title}: the application's client`, () => {
  const stand = new Stand()

  /** A row with everything in it comes back as it was. */
  const comesBack = async (client: Client): Promise<void> => {
    const name = randomUUID()
    const left = {
      owner: 'a:1',
      holds: 3,
      endsAt: 1_900_000_000_000.125,
      fence: 9_007_199_254_740_993n,
      waiting: ['one', 'with "quotes", \\ and {commas}'],
      notes: { snake_case: 'naïve 🧵', camelCase: [1, null] },
    }
    await client.session.change(tallies, name, ({ body }) => {
      Object.assign(body, left)
    })
    expect(await client.session.change(tallies, name, copy)).toEqual(left)
    const { express } = client.session
    const request = { name: `${name} lock`, owner: 'a:1', leaseMs: 60_000 }
    expect(await express.take(request)).toBeGreaterThan(1_000_000n)
    expect(await express.take(request)).toBeUndefined()
  }
  const connectionsCalled = async (name: string): Promise<number> => {
    const { rows } = await stand.pool.query<{ count: number }>(
      'SELECT count(*)::int AS count FROM pg_stat_activity WHERE application_name = $1',
      [name],
    )
    return rows[0]?.count ?? 0
  }

  test('parsers of types, a pool without room, a limit on time and defaults of pg are no matter', async () => {
    const small = stand.ending(
      new pg.Pool({
        ...stand.address,
        host: stand.address.dir,
        ...{ max: 1, types: { getTypeParser: () => () => 'nonsense' }, query_timeout: 1 },
      }),
    )
    const taken = await small.connect()
    const { binary, query_timeout } = pg.defaults
    onTestFinished(() => void Object.assign(pg.defaults, { binary, query_timeout }))
    Object.assign(pg.defaults, { binary: true, query_timeout: 1 })
    await comesBack(stand.client(small))
    taken.release()
  })

  test('transformations, types and hooks of an instance are no matter', async () => {
    const { dir, port, user, database } = stand.address
    const heard: string[] = []
    const hear = (what: string) => () => {
      heard.push(what)
    }
    const text = { to: 25, from: [25, 114, 20], serialize: () => 'nonsense', parse: () => 'nonsense' }
    const sql = stand.ending(
      postgresJs({
        ...{ host: dir, port, user, database, max: 1, idle_timeout: 1, max_lifetime: 1 },
        transform: { ...postgresJs.camel, value: () => 'nonsense', row: () => ({ nonsense: true }) },
        types: { text },
        ...{ debug: hear('debug'), onnotice: hear('notice'), onclose: hear('close') },
        ...{ onnotify: hear('notify'), onparameter: hear('parameter') },
      }),
    )
    const client = stand.client(sql, { createTable: true })
    await comesBack(client)
    await client.session.inbox?.opened()
    await client.session.change(tallies, 'told', ({ tell }) =>
      tell(client.id, { keyspace: 'latch', name: 'told', text: 'heard' }),
    )
    await until(() => client.messages.length > 0, { what: 'a message' })
    await client.session.close()
    expect(heard).toEqual([])
  })

  test('an instance that prepares nothing has nothing prepared', async () => {
    const { dir: host, port, user, database } = stand.address
    await comesBack(stand.client(stand.ending(postgresJs({ host, port, user, database, prepare: false }))))
  })

  test.each(libraryNames)('%s: no connection of its own is used', async (library) => {
    const client = stand.client(stand.application(library, { settings: { application_name: 'busy' } }))
    await add(client)
    await client.session.inbox?.opened()
    expect(await connectionsCalled('busy')).toBe(0)
    expect(await connectionsCalled('holdfast')).toBe(2)
    await client.session.close()
    await until(async () => (await connectionsCalled('holdfast')) === 0, { what: 'they are closed' })
  })

  test.each(libraryNames)(
    '%s: idle connections do not keep the process alive',
    { timeout: 70_000 },
    (library) => {
      const { dir, port, user, database } = stand.address
      const options = JSON.stringify({ host: dir, port, user, database })
      const { status, stdout } = spawnSync(
        process.execPath,
        [
          '--import=tsx',
          '--input-type=module',
          '--eval',
          `import library from '${library}'
         import { Holdfast } from './src/index.ts'
         import { postgres } from './src/stores/postgres/index.ts'
         const application = ${library === 'pg' ? 'new library.Pool' : 'library'}(${options})
         const [one, other] = [new Holdfast(postgres(application)), new Holdfast(postgres(application))]
         const hold = await one.lock('exits').acquire()
         const waiting = other.lock('exits').acquire()
         setTimeout(() => hold.release(), 100)
         await (await waiting).release()
         console.log('done')`,
        ],
        { encoding: 'utf8', timeout: 60_000 },
      )
      expect(stdout).toContain('done')
      expect(status).toBe(0)
    },
  )

  test('an instance that was ended is still good for its options', async () => {
    const sql = sqlOf(stand.address)
    await sql.end()
    expect(await add(stand.client(sql))).toBe(1)
  })

  test('of several hosts the first that takes writes is taken', async () => {
    const { port, user, password, database } = stand.address
    const url = `postgres://${user}:${encodeURIComponent(password)}@127.0.0.1:1,127.0.0.1:${port}/${database}`
    const addBy = (options?: object) => add(stand.client(stand.ending(postgresJs(url, options))))
    expect(await addBy()).toBe(1)
    expect(await addBy({ target_session_attrs: 'primary' })).toBe(1)
    const unreachable = { reason: 'unreachable', transient: true }
    await expect(addBy({ target_session_attrs: 'standby' })).rejects.toMatchObject(unreachable)
  })

  test('an instance that makes its sockets itself is asked for them', async () => {
    const { port, user, password, database } = stand.address
    let asked = 0
    const socket = (): Promise<Socket> =>
      new Promise((resolve, reject) => {
        asked += 1
        const made = new Socket()
        made.once('error', reject)
        made.connect({ host: '127.0.0.1', port }, () => resolve(made))
      })
    const options = { user, password, database, host: 'nowhere.invalid', socket }
    const client = stand.client(stand.ending(postgresJs(options)))
    expect(await add(client)).toBe(1)
    await client.session.inbox?.opened()
    expect(asked).toBe(2)
  })

  test('a setting that the server refuses when a connection begins is not taken for a row that cannot be read', async () => {
    const pool = stand.ending(new pg.Pool({ ...stand.pool.options, options: '-c role=nobody_of_that_name' }))
    await expect(add(stand.client(pool))).rejects.toMatchObject({
      reason: 'unknown',
      cause: { code: '22023' },
    })
  })

  test('what is no client is refused at once', () => {
    const halves = [{ options: {} }, { options: null, Client: pg.Client }]
    for (const each of [...halves, new pg.Client(), () => undefined, postgresJs, undefined])
      expect(() => Reflect.apply(openClient, undefined, [each])).toThrow(InvalidArgumentError)
    const pool = createPool('mysql://user:hush-hush@127.0.0.1:1/database')
    onTestFinished(() => pool.end())
    const call = () => Reflect.apply(openClient, undefined, [pool])
    expect(call).toThrow("import { mysql } from 'holdfast/mysql' and write new Holdfast(mysql(pool))")
    expect(call).not.toThrow('hush-hush')
    expect(() => openClient(stand.pool, { connections: 0 })).toThrow('connections is 0')
    expect(() => openClient(stand.pool, { retainMs: 59_999 })).toThrow('retainMs is 59999')
    expect(() => Reflect.apply(openClient, undefined, [stand.pool, { tabel: 'x' }])).toThrow('tabel')
  })
})
