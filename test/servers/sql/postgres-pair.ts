import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Impossible, until } from '../until.js'
import { postgres, withPostgres } from './postgres.js'
import { account } from './product.js'
import { SqlServer } from './server.js'

export interface PostgresPairOrder {
  /** Whether the primary answers a COMMIT only once the replica has written it. Default: false. */
  readonly synchronous?: boolean
  readonly settings?: Readonly<Record<string, string>>
}

export class PostgresPair {
  private constructor(
    readonly primary: SqlServer,
    readonly replica: SqlServer,
  ) {}

  static async start({ synchronous = false, settings = {} }: PostgresPairOrder = {}): Promise<PostgresPair> {
    const primary = await SqlServer.start(postgres, { settings })
    try {
      const { dir, port } = primary.address
      const source = `host=${dir} port=${port} user=${account.user} application_name=replica`
      const replica = await SqlServer.start(
        replicaOf,
        { settings: { ...following, ...settings, primary_conninfo: source } },
        // A copy of what a crash leaves, from which it recovers: pg_basebackup is not everywhere.
        async (place) => {
          await primary.kill()
          const data = join(place.dir, 'data')
          const inData = (file: string): string => join(data, file)
          return [
            { program: { command: ['cp', '-a'] }, args: [join(dir, 'data'), data] },
            { program: { command: ['rm'] }, args: ['-f', inData('postmaster.pid')] },
            { program: { command: ['touch'] }, args: [inData('standby.signal')] },
          ]
        },
      )
      await primary.start()
      const pair = new PostgresPair(primary, replica)
      await pair.untilFollows()
      if (synchronous) {
        await withPostgres(primary.address, async (client) => {
          await client.query("ALTER SYSTEM SET synchronous_standby_names = 'replica'")
          await client.query('SELECT pg_reload_conf()')
          await until(
            async () => {
              const { rows } = await client.query<{ sync_state: string }>(
                'SELECT sync_state FROM pg_stat_replication',
              )
              return rows[0]?.sync_state === 'sync'
            },
            { what: 'the replica is synchronous' },
          )
        })
      }
      return pair
    } catch (error) {
      await primary.stop()
      throw error
    }
  }

  /** Resolves when the replica has all that the primary had written before this call. */
  async untilFollows(): Promise<void> {
    const written = await withPostgres(this.primary.address, async (client) => {
      const { rows } = await client.query<{ lsn: string }>('SELECT pg_current_wal_lsn() AS lsn')
      return rows[0]?.lsn
    })
    await until(
      () =>
        withPostgres(this.replica.address, async (client) => {
          const { rows } = await client.query<{ there: boolean | null }>(
            'SELECT pg_last_wal_replay_lsn() >= $1::pg_lsn AS there',
            [written],
          )
          return rows[0]?.there ?? false
        }),
      { what: 'the replica follows the primary' },
    )
  }

  /** Ends the replication for good. The replica has all that the primary had written before this call. */
  async fallBehind(): Promise<void> {
    await this.untilFollows()
    const rules = join(this.primary.address.dir, 'data', 'pg_hba.conf')
    await writeFile(rules, `local replication all reject\n${await readFile(rules, 'utf8')}`)
    await withPostgres(this.primary.address, async (client) => {
      await client.query('SELECT pg_reload_conf()')
      await until(
        async () => {
          const { rows } = await client.query('SELECT pg_terminate_backend(pid) FROM pg_stat_replication')
          return rows.length === 0
        },
        { what: 'the replica is cut off' },
      )
    })
  }

  /** Makes the replica take writes. The primary is left as it is: kill or pause it first. */
  async promote(): Promise<void> {
    await withPostgres(this.replica.address, async (client) => {
      const { rows } = await client.query<{ done: boolean }>('SELECT pg_promote(true, 30) AS done')
      if (!rows[0]?.done) throw new Impossible('the replica was not promoted in time')
    })
  }

  async stop(): Promise<void> {
    await Promise.all([this.primary.stop(), this.replica.stop()])
  }
}

/** It starts before its primary is back, for which it would not look again for five seconds. */
const following = { hot_standby: 'on', wal_retrieve_retry_interval: '100ms' }

/** A replica has the database already, or will, and takes no writes. */
const replicaOf = {
  ...postgres,
  prepare: (place: Parameters<typeof postgres.prepare>[0]) =>
    withPostgres(place, async (client) => {
      await client.query('SELECT 1')
    }),
}
