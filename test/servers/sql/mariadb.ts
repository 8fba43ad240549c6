import { join } from 'node:path'
import { isRoot, onMachine } from './installed.js'
import { prepareMysql, settingArguments } from './mysql.js'
import type { SqlProduct } from './product.js'

export const mariadb: SqlProduct = {
  name: 'MariaDB',

  find: async () => {
    const found = await onMachine(['mariadb-install-db'], ['/usr/bin', '/usr/local/bin'])
    const server = await onMachine(['mariadbd'], ['/usr/sbin', '/usr/local/sbin'])
    if (!found || !server) return 'no mariadb-install-db and mariadbd on PATH or in /usr/sbin'
    return {
      from: server.folder,
      program: (name) => (name === 'mariadbd' ? server : found).program(name),
    }
  },

  // A server that starts removes every temporary table in its folder for such: each has a folder of its own.
  setup: async ({ installed, dir }) => [
    {
      program: installed.program('mariadb-install-db'),
      args: [
        ...['--no-defaults', `--datadir=${join(dir, 'data')}`, '--auth-root-authentication-method=normal'],
        ...['--skip-name-resolve', '--skip-log-bin', `--tmpdir=${dir}`, '--skip-test-db'],
        ...(isRoot() ? ['--user=root'] : []),
      ],
    },
  ],

  serve: ({ installed, dir, port }, settings) => ({
    program: installed.program('mariadbd'),
    args: settingArguments(dir, port, settings),
  }),

  prepare: prepareMysql,
}
