import { join } from 'node:path'
import { Holdfast } from '../../../dist/index.js'
import type { Open } from '../../drivers/library.js'
import type { Place } from '../../drivers/place.js'
import { versionOfProject } from '../version.js'

/** Defaults throughout; the table was made beforehand. Each section has an owner of its own. */
export const open: Open = async (place) => {
  const holdfast = new Holdfast(await storeAt(place))
  return {
    version: versionOfProject('holdfast'),
    async section(key, body) {
      const hold = await holdfast.lock(key).acquire()
      const working = body()
      if (working) await working
      await hold.release()
    },
    close: () => holdfast.close(),
  }
}

export async function storeAt({ host, port, system, login, folder = '.' }: Place) {
  const address = { host, port, ...login }
  switch (system) {
    case 'PostgreSQL': {
      const { postgres } = await import('../../../dist/postgres/index.js')
      const { default: pg } = await import('pg')
      return postgres(new pg.Pool(address))
    }
    case 'MySQL':
    case 'MariaDB': {
      const { mysql } = await import('../../../dist/mysql/index.js')
      const { createConnection } = await import('mysql2/promise')
      return mysql({ connect: () => createConnection(address) })
    }
    default: {
      const { sqlite } = await import('../../../dist/sqlite/index.js')
      return sqlite(join(folder, 'locks.db'))
    }
  }
}
