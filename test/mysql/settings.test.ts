/** Whatever an application has set for its connections, locks work on them. */
import { randomUUID } from 'node:crypto'
import { clearParserCache } from 'mysql2'
import { describe, expect, test } from 'vitest'
import type { MysqlConnection } from '../../src/stores/mysql/index.js'
import { copy, tallies } from '../postgres/tally.js'
import { onDatabases } from '../setup/databases.js'
import { type Client, type Extra, libraries, libraryNames, openClient } from './clients.js'

const options: readonly Extra[] = [
  { rowsAsArray: true },
  { nestTables: true },
  { nestTables: '_' },
  { namedPlaceholders: true },
  { typeCast: () => 'nonsense' },
  { dateStrings: true },
  { multipleStatements: true },
]

const own: Readonly<Record<keyof typeof libraries, readonly Extra[]>> = {
  mysql2: [
    { charset: 'LATIN1_SWEDISH_CI' },
    { supportBigNumbers: true, bigNumberStrings: true },
    { decimalNumbers: true },
    { flags: ['-FOUND_ROWS'] },
    { timezone: '+05:00' },
    { maxPreparedStatements: 1 },
    { compress: true },
  ],
  mariadb: [
    { metaAsArray: true },
    { insertIdAsNumber: true, bigIntAsNumber: true },
    { checkNumberRange: true },
    { foundRows: false },
    { autocommit: false },
    { prepareCacheLength: 0 },
    { timezone: '+05:00' },
    { charset: 'latin1' },
    { pipelining: false },
  ],
}

await onDatabases(['MariaDB', 'MySQL'], (database) => {
  describe.each(libraryNames)('with %s', (library) => {
    /** Everything that is asked of a row, as two clients do it at once. */
    const proves = async (connect: () => Promise<MysqlConnection>): Promise<void> => {
      clearParserCache()
      const name = `${randomUUID()} 鎖 \\ ' "`
      const notes = { text: '鎖 \\ \' "' }
      const open = () => openClient(connect, { createTable: true })
      const [one, other] = [open(), open()]
      const add = ({ session }: Client): Promise<void> =>
        session.change(tallies, name, ({ body }) => {
          Object.assign(body, { holds: body.holds + 1, notes })
        })
      for (let round = 0; round < 10; round += 1) await Promise.all([add(one), add(other)])
      expect(await one.session.change(tallies, name, copy)).toMatchObject({ holds: 20, notes })
      const { express } = one.session
      const before = BigInt(Date.now() - 1_000) * 1_000n
      const request = { name, owner: 'a:1', leaseMs: 60_000 }
      const takeOther = () => other.session.express.take({ ...request, owner: 'b:1' })
      const fence = await express.take(request)
      expect(fence).toBeGreaterThan(before)
      expect(await takeOther()).toBeUndefined()
      expect(await Promise.all(express.renew([request]))).toEqual([true])
      const twice = [request, { ...request, name: randomUUID() }]
      expect(await Promise.all(express.renew(twice))).toEqual([true, false])
      const names: string[] = []
      for await (const each of one.session.names('lock', '*')) names.push(each)
      expect(names).toContain(name)
      expect(await express.free(name, 'a:1')).toBe(true)
      expect(await takeOther()).toBeGreaterThan(fence ?? 0n)
      await one.session.clean()
      for (const { session, errors } of [one, other]) {
        await session.close()
        expect(errors).toEqual([])
      }
    }

    test.each([
      "SET SESSION sql_mode = 'ANSI_QUOTES,NO_BACKSLASH_ESCAPES,PIPES_AS_CONCAT,NO_ZERO_DATE'",
      "SET SESSION sql_mode = 'TRADITIONAL'",
      "SET SESSION sql_mode = ''",
      'SET SESSION autocommit = 0',
      'SET SESSION TRANSACTION ISOLATION LEVEL SERIALIZABLE',
      'SET SESSION TRANSACTION ISOLATION LEVEL READ UNCOMMITTED',
      'SET SESSION TRANSACTION READ ONLY',
      "SET SESSION time_zone = '-11:30'",
      'SET NAMES latin1',
      'SET SESSION sql_select_limit = 0',
      'SET SESSION sql_safe_updates = 1',
      'SET SESSION max_join_size = 1',
      'SET SESSION timestamp = 1',
      'SET SESSION lock_wait_timeout = 1, innodb_lock_wait_timeout = 1',
    ])('%s', async (statement) => {
      await proves(async () => {
        const connection = await libraries[library](database().address)
        await connection.query(statement)
        return connection
      })
    })

    test.each([...options, ...own[library]])('option %j', async (option) => {
      await proves(() => libraries[library](database().address, option))
    })
  })
})
