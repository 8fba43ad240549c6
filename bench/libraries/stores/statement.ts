import type { Open } from '../../drivers/library.js'
import { sessionsAt } from './session.js'

const SELECT = { name: 'one', text: 'SELECT 1' }

/** No lock: one round trip, then the section. */
export const open: Open = async (place) => {
  const sessions = await sessionsAt(place)
  return {
    version: sessions.version,
    section: async (_key, body) => {
      await sessions.run(SELECT, [])
      await body()
    },
    close: () => sessions.close(),
  }
}
