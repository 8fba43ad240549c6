import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isRoot, onMachine } from './installed.js'
import { findInDebian, folderArguments, prepareMysql, secureMysql, settingArguments } from './mysql.js'
import type { Installed, Place, Run, SqlProduct } from './product.js'

const RELEASE = '11.8'
const FROM_DEBIAN = {
  name: `mariadb-${RELEASE}`,
  suite: 'trixie',
  package: 'mariadb-server-core',
  program: 'usr/sbin/mariadbd',
  share: ['usr/share/mariadb'],
} as const

/** What makes the system tables, in this order. */
const SYSTEM_TABLES = [
  'mariadb_system_tables',
  'mariadb_performance_tables',
  'mariadb_system_tables_data',
] as const

export const mariadb: SqlProduct = {
  name: 'MariaDB',

  find: async (release) => {
    const found = release === undefined ? await installed() : undefined
    if (found) return found
    if (release !== undefined && release !== RELEASE) return `no MariaDB ${release} is known`
    return findInDebian(FROM_DEBIAN, join('share', 'mariadb'))
  },

  // A server that starts removes every temporary table in its folder for such: each has a folder of its own.
  setup: async (place) => {
    const { installed: found, dir } = place
    if (found.share !== undefined) return [await bootstrap(place, found.share)]
    return [
      {
        program: found.program('mariadb-install-db'),
        args: [
          ...['--no-defaults', `--datadir=${join(dir, 'data')}`, '--auth-root-authentication-method=normal'],
          ...['--skip-name-resolve', '--skip-log-bin', `--tmpdir=${dir}`, '--skip-test-db'],
          ...(isRoot() ? ['--user=root'] : []),
        ],
      },
    ]
  },

  serve: ({ installed: { program, share }, dir, port }, settings) => ({
    program: program('mariadbd'),
    args: settingArguments(dir, port, settings, share),
  }),

  secure: secureMysql,
  prepare: prepareMysql,
}

async function installed(): Promise<Installed | undefined> {
  const setup = await onMachine(['mariadb-install-db'], ['/usr/bin', '/usr/local/bin'])
  const server = await onMachine(['mariadbd'], ['/usr/sbin', '/usr/local/sbin'])
  if (!setup || !server) return undefined
  return { from: server.folder, program: (name) => (name === 'mariadbd' ? server : setup).program(name) }
}

/** What mariadb-install-db does, which is a script that expects an installed server. */
async function bootstrap({ installed: { program }, dir }: Place, share: string): Promise<Run> {
  const input = join(dir, 'bootstrap.sql')
  const scripts = await Promise.all(SYSTEM_TABLES.map((name) => readFile(join(share, `${name}.sql`), 'utf8')))
  await writeFile(
    input,
    ['CREATE DATABASE mysql;', 'USE mysql;', 'SET @auth_root_socket=NULL;', ...scripts].join('\n'),
  )
  await mkdir(join(dir, 'data'))
  return {
    program: program('mariadbd'),
    args: [...folderArguments(dir, share), '--bootstrap', '--skip-log-bin'],
    input,
  }
}
