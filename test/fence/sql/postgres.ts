import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import type { SqlProduct } from './sql-server.js'

/** Debian has each version's programs in a folder of its own, beside PATH. */
const DEBIAN = '/usr/lib/postgresql'
const versions = await readdir(DEBIAN).catch(() => [])

export function postgresPool(dir: string): pg.Pool {
  const pool = new pg.Pool({ host: dir, user: 'holdfast', database: 'postgres' })
  // Of connections that break while idle: when the server is stopped.
  pool.on('error', () => undefined)
  return pool
}

export const postgres: SqlProduct = {
  name: 'PostgreSQL',
  package: 'postgresql',
  programs: ['initdb', 'postgres'],
  folders: versions
    .sort((one, other) => Number(other) - Number(one))
    .map((version) => join(DEBIAN, version, 'bin')),
  user: 'postgres',
  setupArguments: (dir) => [
    ...['-D', join(dir, 'data'), '-U', 'holdfast', '--auth=trust', '--no-sync'],
    ...['--encoding=UTF8', '--locale=C'],
  ],
  serverArguments: (dir) => [
    ...['-D', join(dir, 'data'), '-k', dir],
    ...['-c', 'listen_addresses=', '-c', 'fsync=off', '-c', 'max_connections=20'],
  ],
  ping: async (dir) => {
    const pool = postgresPool(dir)
    await pool.query('SELECT 1').finally(() => pool.end())
  },
}
