import { mysql } from '../mysql/index.js'
import type { Store } from '../ports/store.js'
import { postgres } from '../postgres/index.js'
import { sqlite } from '../sqlite/index.js'
import { clientLibrary } from './client-library.js'
import type { DatabaseAddress } from './server-address.js'

/** A store in a database, and how to let go of it. */
export interface OpenStore {
  readonly store: Store
  close(): Promise<void>
}

/** The store at that address, which connects on first use. */
export async function databaseAt({ kind, url }: DatabaseAddress): Promise<OpenStore> {
  switch (kind) {
    case 'postgres': {
      const { default: pg } = await clientLibrary('pg', () => import('pg'))
      // It says how to log in, and is never used itself.
      const pool = new pg.Pool({ connectionString: url })
      return { store: postgres(pool, { connections: 1 }), close: () => pool.end() }
    }
    case 'mysql': {
      const { createConnection } = await clientLibrary('mysql2', () => import('mysql2/promise'))
      const uri = url.replace(/^mariadb:/i, 'mysql:')
      return {
        store: mysql({ connect: () => createConnection(uri), connections: 1 }),
        close: async () => undefined,
      }
    }
    case 'sqlite':
      return { store: sqlite(url), close: async () => undefined }
  }
}
