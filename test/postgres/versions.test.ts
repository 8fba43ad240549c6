/** A server that is too old is refused with the first connection. */
import { describe, expect, test } from 'vitest'
import { bringSqlServer, releaseOf, whyNot } from '../servers/sql/index.js'
import { duringAll } from '../setup/during.js'
import { libraries, libraryNames, missing, openClient, Stand, title } from './server.js'
import { copy, tallies } from './tally.js'

const refusal = await whyNot('PostgreSQL', '12')
if (refusal !== undefined && process.env['CI']) throw new Error(`no PostgreSQL 12 is to be had: ${refusal}`)
const absent = refusal === undefined ? '' : `: skipped (${refusal})`

describe.skipIf(refusal !== undefined)(`PostgreSQL 12, which is too old${absent}`, () => {
  const server = duringAll(() => bringSqlServer('PostgreSQL', { release: '12' }))

  test.each(libraryNames)(
    '%s: commands and messages are refused, and the error says why',
    async (library) => {
      const application = libraries[library](server.address)
      const client = openClient(application, { createTable: true })
      const old = {
        reason: 'not-ready',
        transient: false,
        message: expect.stringMatching(/PostgreSQL 12\.\d+; Holdfast needs PostgreSQL 13 or later/),
      }
      await expect(client.session.change(tallies, 'row', copy)).rejects.toMatchObject(old)
      await expect(client.session.inbox?.opened()).rejects.toMatchObject(old)
      await client.session.close()
      await application.end()
    },
  )
})

describe.skipIf(missing)(title, () => {
  const stand = new Stand()
  test('it is of the release that this run is for', async () => {
    const { rows } = await stand.pool.query<{ version: string }>(
      "SELECT current_setting('server_version') AS version",
    )
    expect(rows[0]?.version).toMatch(new RegExp(`^${releaseOf('PostgreSQL') ?? '\\d+'}\\.`))
  })
})
