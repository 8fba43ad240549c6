import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { embeddedPostgres } from './embedded.js'
import { identityOf, isRoot, onMachine } from './installed.js'
import { account, type Installed, type Place, type SqlProduct } from './product.js'

/** Debian has each version's programs in a folder of its own, beside PATH. */
const DEBIAN = '/usr/lib/postgresql'
const PROGRAMS = ['initdb', 'postgres']

const DEFAULTS = {
  listen_addresses: '127.0.0.1',
  fsync: 'off',
  // Shared by the files of a run, of which twelve are under way at a time.
  max_connections: '400',
  shared_buffers: '16MB',
  wal_level: 'replica',
  max_wal_size: '128MB',
}

export const postgres: SqlProduct = {
  name: 'PostgreSQL',
  find,

  setup: async ({ installed, dir }) => {
    const secret = join(dir, 'password')
    await writeFile(secret, account.password)
    return [
      {
        program: installed.program('initdb'),
        args: [
          ...['-D', join(dir, 'data'), '-U', account.user, `--pwfile=${secret}`, '--no-sync'],
          ...['--auth-local=trust', '--auth-host=scram-sha-256', '--encoding=UTF8', '--locale=C'],
        ],
      },
    ]
  },

  serve: ({ installed, dir, port }, settings) => ({
    program: installed.program('postgres'),
    args: [
      ...['-D', join(dir, 'data'), '-k', dir, '-p', String(port)],
      ...Object.entries({ ...DEFAULTS, ...settings }).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ],
  }),

  secure: async ({ dir }, { keyFile, certFile }) => {
    const rules = join(dir, 'pg_hba.conf')
    await writeFile(rules, 'local all all trust\nhostssl all all 127.0.0.1/32 scram-sha-256\n')
    return { ssl: 'on', ssl_key_file: keyFile, ssl_cert_file: certFile, hba_file: rules }
  },

  prepare: async (place) => {
    await withPostgres(place, async (client) => {
      const { rows } = await client.query('SELECT FROM pg_database WHERE datname = $1', [account.database])
      if (rows.length === 0) await client.query(`CREATE DATABASE ${account.database}`)
    })
  },
}

/** Does something as the superuser, by the Unix socket. */
export async function withPostgres<Result>(
  { dir, port }: Pick<Place, 'dir' | 'port'>,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({ host: dir, port, user: account.user, database: 'postgres' })
  client.on('error', () => undefined)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

async function find(major?: string): Promise<Installed | string> {
  const identity = isRoot() ? await identityOf(['postgres', 'nobody']) : undefined
  if (isRoot() && !identity) return 'it refuses to run as root, and there is no user postgres or nobody'
  const versions = major === undefined ? await readdir(DEBIAN).catch(() => []) : [major]
  const folders = versions
    .sort((one, other) => Number(other) - Number(one))
    .map((version) => join(DEBIAN, version, 'bin'))
  // Which version PATH leads to is not known.
  const found = await onMachine(PROGRAMS, folders, major === undefined)
  if (found) return { from: found.folder, program: found.program, identity }
  const fetched = await embeddedPostgres(major).catch(String)
  if (typeof fetched !== 'string') return { ...fetched, identity }
  return `not installed (apt-get install postgresql), and npm has none: ${fetched}`
}
