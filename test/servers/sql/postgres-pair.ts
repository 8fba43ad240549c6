import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Impossible, orUndo, until } from '../until.js'
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
    const stop = (): Promise<void> => primary.stop()
    return await orUndo(stop, async () => {
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
        await ask(primary, "ALTER SYSTEM SET synchronous_standby_names = 'replica'")
        await ask(primary, 'SELECT pg_reload_conf()')
        const state = 'SELECT sync_state FROM pg_stat_replication'
        const what = 'the replica is synchronous'
        await until(async () => (await ask(primary, state)) === 'sync', { what })
      }
      return pair
    })
  }

  /** Resolves when the replica has all that the primary had written before this call. */
  async untilFollows(): Promise<void> {
    const written = await ask(this.primary, 'SELECT pg_current_wal_lsn()')
    const has = `SELECT pg_last_wal_replay_lsn() >= '${written}'::pg_lsn`
    const what = 'the replica follows the primary'
    await until(async () => (await ask(this.replica, has)) === true, { what })
  }

  /** Ends the replication for good. The replica has all that the primary had written before this call. */
  async fallBehind(): Promise<void> {
    await this.untilFollows()
    const rules = join(this.primary.address.dir, 'data', 'pg_hba.conf')
    await writeFile(rules, `local replication all reject\n${await readFile(rules, 'utf8')}`)
    await ask(this.primary, 'SELECT pg_reload_conf()')
    const cut = 'SELECT pg_terminate_backend(pid) FROM pg_stat_replication'
    await until(async () => (await ask(this.primary, cut)) === undefined, { what: 'the replica is cut off' })
  }

  /** Makes the replica take writes. The primary is left as it is: kill or pause it first. */
  async promote(): Promise<void> {
    const done = await ask(this.replica, 'SELECT pg_promote(true, 30)')
    if (done !== true) throw new Impossible('the replica was not promoted in time')
  }

  async stop(): Promise<void> {
    await Promise.all([this.primary.stop(), this.replica.stop()])
  }
}

async function ask({ address }: SqlServer, statement: string): Promise<unknown> {
  return await withPostgres(address, async (client) => {
    const { rows } = await client.query({ text: statement, rowMode: 'array' })
    return rows[0]?.[0]
  })
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
