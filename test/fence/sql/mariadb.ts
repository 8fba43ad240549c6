import { join } from 'node:path'
import { createConnection, createPool, type Pool } from 'mariadb'
import type { SqlProduct } from './sql-server.js'

const user = 'root'

export function mariadbPool(dir: string): Pool {
  return createPool({
    socketPath: join(dir, 'socket'),
    user,
    database: 'test',
    connectionLimit: 4,
    acquireTimeout: 20_000,
  })
}

// A server that starts removes every temporary table in its folder for such: each has a folder of its own.
export const mariadb: SqlProduct = {
  name: 'MariaDB',
  package: 'mariadb-server',
  programs: ['mariadb-install-db', 'mariadbd'],
  folders: ['/usr/sbin'],
  user: 'mysql',
  setupArguments: (dir) => [
    ...['--no-defaults', `--datadir=${join(dir, 'data')}`, '--auth-root-authentication-method=normal'],
    ...['--skip-name-resolve', '--skip-log-bin', `--tmpdir=${dir}`],
  ],
  serverArguments: (dir) => [
    ...['--no-defaults', `--datadir=${join(dir, 'data')}`, `--socket=${join(dir, 'socket')}`],
    ...[`--pid-file=${join(dir, 'pid')}`, '--skip-networking', '--skip-log-bin', `--tmpdir=${dir}`],
    ...['--innodb-buffer-pool-size=16M', '--innodb-flush-log-at-trx-commit=0'],
  ],
  ping: async (dir) => {
    const connection = await createConnection({ socketPath: join(dir, 'socket'), user })
    await connection.query('CREATE DATABASE IF NOT EXISTS test').finally(() => connection.end())
  },
}
