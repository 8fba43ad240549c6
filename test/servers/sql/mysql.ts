import { join } from 'node:path'
import { createConnection } from 'mysql2/promise'
import { type DebianProgram, unpackFromDebian } from '../debian.js'
import { isRoot } from './installed.js'
import { account, type CertificateFiles, type Installed, type Place, type SqlProduct } from './product.js'

const DEFAULTS = {
  bind_address: '127.0.0.1',
  innodb_buffer_pool_size: '16M',
  // What is committed survives the end of the server, if not that of the machine.
  innodb_flush_log_at_trx_commit: '2',
  max_connections: '400',
}

/** Debian has MySQL in its unstable release only, built for libraries of its own. */
const FROM_DEBIAN = {
  name: 'mysql-sid',
  suite: 'sid',
  package: 'mysql-server-core',
  program: 'usr/sbin/mysqld',
  share: ['usr/share/mysql/english', 'usr/share/mysql/charsets'],
} as const

export const mysql: SqlProduct = {
  name: 'MySQL',

  find: async (release) =>
    release === undefined ? findInDebian(FROM_DEBIAN, 'share') : `no MySQL ${release} is known`,

  setup: async ({ installed, dir }) => [
    {
      program: installed.program('mysqld'),
      args: [...folderArguments(dir, installed.share), '--initialize-insecure'],
    },
  ],

  serve: ({ installed, dir, port }, settings) => ({
    program: installed.program('mysqld'),
    args: settingArguments(dir, port, { mysqlx: 'OFF', ...settings }, installed.share),
  }),

  secure: secureMysql,
  prepare: prepareMysql,
}

/** A server of Debian's archive, unpacked without installing it; `share` is the folder in it that the program reads. */
export async function findInDebian(wanted: DebianProgram, share: string): Promise<Installed | string> {
  try {
    const { root, command } = await unpackFromDebian(wanted)
    return { from: root, share: join(root, share), program: () => ({ command }) }
  } catch (error) {
    return `Debian's packages could not be had: ${error instanceof Error ? error.message.trim() : String(error)}`
  }
}

export function settingArguments(
  dir: string,
  port: number,
  settings: Readonly<Record<string, string>>,
  share?: string,
): string[] {
  return [
    ...folderArguments(dir, share),
    ...[`--socket=${join(dir, 'socket')}`, `--pid-file=${join(dir, 'pid')}`, `--port=${port}`],
    ...['--skip-log-bin', '--skip-name-resolve'],
    ...Object.entries({ ...DEFAULTS, ...settings }).map(([name, value]) => `--${name}=${value}`),
  ]
}

export function folderArguments(dir: string, share: string | undefined): string[] {
  return [
    ...['--no-defaults', `--datadir=${join(dir, 'data')}`, `--tmpdir=${dir}`, '--secure-file-priv='],
    ...(share === undefined
      ? []
      : [`--lc-messages-dir=${share}`, `--character-sets-dir=${join(share, 'charsets')}`]),
    ...(isRoot() ? ['--user=root'] : []),
  ]
}

/** The Unix socket counts as secure. */
export async function secureMysql(
  _: Place,
  { keyFile, certFile }: CertificateFiles,
): Promise<Record<string, string>> {
  return { require_secure_transport: 'ON', ssl_key: keyFile, ssl_cert: certFile }
}

export async function prepareMysql({ dir }: Place): Promise<void> {
  const connection = await createConnection({ socketPath: join(dir, 'socket'), user: 'root' })
  try {
    const { user, password, database } = account
    await connection.query('CREATE USER IF NOT EXISTS ?@? IDENTIFIED BY ?', [user, '%', password])
    await connection.query('GRANT ALL ON *.* TO ?@? WITH GRANT OPTION', [user, '%'])
    await connection.query(`CREATE DATABASE IF NOT EXISTS ${database}`)
  } finally {
    await connection.end()
  }
}
