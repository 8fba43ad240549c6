import type { Store } from '../ports/store.js'
import { postgres } from '../postgres/index.js'
import { sqlite } from '../sqlite/index.js'
import { clientLibrary } from './client-library.js'
import { usageError } from './failure.js'
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
      const pool = new pg.Pool({ connectionString: url })
      return { store: postgres(pool, { connections: 1 }), close: () => pool.end() }
    }
    case 'mysql':
      throw usageError(`MySQL is not there yet: ${url.length}`)
    case 'sqlite':
      return { store: sqlite(url), close: async () => undefined }
  }
}
