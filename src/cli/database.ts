import process from 'node:process'
import type { Store } from '../ports/store.js'
import { clientLibrary } from './client-library.js'
import { exitCodes } from './exit-codes.js'
import { CliError } from './failure.js'
import type { DatabaseAddress } from './server-address.js'

/** A store in a database, and how to let go of it. */
export interface OpenStore {
  readonly store: Store
  close(): Promise<void>
}

/** The store at that address, which connects on first use. Of the stores only this one is loaded: every command starts sooner for it. */
export async function databaseAt({ kind, url }: DatabaseAddress): Promise<OpenStore> {
  switch (kind) {
    case 'postgres': {
      const { default: pg } = await clientLibrary('pg', () => import('pg'))
      const { postgres } = await import('../postgres/index.js')
      // It says how to log in, and is never used itself.
      const pool = new pg.Pool({ connectionString: url })
      return { store: postgres(pool, { connections: 1 }), close: () => pool.end() }
    }
    case 'advisory': {
      const { default: pg } = await clientLibrary('pg', () => import('pg'))
      const { advisory } = await import('../postgres/index.js')
      const pool = new pg.Pool({ connectionString: url })
      return { store: advisory(pool), close: () => pool.end() }
    }
    case 'get-lock': {
      const { default: mysql2 } = await clientLibrary('mysql2', () => import('mysql2/promise'))
      const { getLock } = await import('../mysql/index.js')
      return { store: getLock({ connect: () => mysql2.createConnection(url) }), close: async () => undefined }
    }
    case 'mysql': {
      const { default: mysql2 } = await clientLibrary('mysql2', () => import('mysql2/promise'))
      const { mysql } = await import('../mysql/index.js')
      const uri = url.replace(/^mariadb:/i, 'mysql:')
      return {
        store: mysql({ connect: () => mysql2.createConnection(uri), connections: 1 }),
        close: async () => undefined,
      }
    }
    case 'sqlite': {
      const { libsqlDriver, nodeDriver } = await import('../sqlite/driver.js')
      if (!nodeDriver() && !libsqlDriver()) throw noSqlite()
      const { sqlite } = await import('../sqlite/index.js')
      return { store: sqlite(url), close: async () => undefined }
    }
  }
}

function noSqlite(): CliError {
  return new CliError(
    exitCodes.notInstalled,
    'NO_CLIENT',
    `The locks would be in a file, which takes SQLite, and Node ${process.versions.node} has none of its own. Name a server with --url or ` +
      'HOLDFAST_URL, use Node 22.13 or later, or install libsql beside holdfast: npm install libsql',
  )
}
