import type { Open } from '../../drivers/library.js'
import { type Prepared, sessionsAt } from './session.js'

interface LockStatements {
  readonly take: Prepared
  readonly free: Prepared
}

const postgres: LockStatements = {
  take: { name: 'take', text: 'SELECT pg_advisory_lock(hashtextextended($1, 0))' },
  free: { name: 'free', text: 'SELECT pg_advisory_unlock(hashtextextended($1, 0))' },
}

/** Names have 64 characters at most. A day is as long as it takes. */
const mysql: LockStatements = {
  take: { name: 'take', text: 'SELECT GET_LOCK(SHA2(?, 256), 86400)' },
  free: { name: 'free', text: 'SELECT RELEASE_LOCK(SHA2(?, 256))' },
}

/** A lock that ends with its connection, taken by a statement that waits in the server: one connection for each that waits there. */
export const open: Open = async (place) => {
  const sessions = await sessionsAt(place)
  const { take, free } = place.system === 'PostgreSQL' ? postgres : mysql
  return {
    version: sessions.version,
    section: (key, body) =>
      sessions.with(async (session) => {
        await session.run(take, [key])
        const working = body()
        if (working) await working
        await session.run(free, [key])
      }),
    close: () => sessions.close(),
  }
}
