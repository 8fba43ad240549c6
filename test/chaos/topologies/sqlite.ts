import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { findDriver } from '../../../src/stores/sqlite/driver.js'
import { Guard } from '../../servers/guard.js'
import { run } from '../../servers/kept.js'
import { succeeds } from '../../servers/until.js'
import type { Database, Operator, Row } from './database.js'
import type { Topology } from './topology.js'

const DISK_BYTES = 32 * 2 ** 20
const BALLAST_BYTES = 2 ** 16
/** For so long the operator waits for the workers, who have the file by turns. */
const PATIENCE_MS = 2_000

/** A file that the processes of this machine share. There is nothing between it and them that could break. */
export async function bringSqlite(): Promise<Topology> {
  const guard = await Guard.mount()
  const { dir } = guard
  // A disk of its own, which only root may make: it can be filled.
  const own = await succeeds(run('mount', ['-t', 'tmpfs', '-o', `size=${DISK_BYTES}`, 'none', dir]))
  if (own) guard.undo(`umount -l ${dir}`)
  const path = join(dir, 'locks.db')
  const ballast = join(dir, 'ballast')
  const driver = findDriver()
  const database: Database = {
    product: 'SQLite',
    ...(own && { disk: { fill: () => fill(ballast), clear: () => rm(ballast, { force: true }) } }),
    async operate(): Promise<Operator> {
      const connection = driver(path)
      connection.exec(`PRAGMA busy_timeout = ${PATIENCE_MS}`)
      return {
        // Statements that give no rows refuse to be asked for any.
        async ask(statement): Promise<readonly Row[]> {
          if (!/^(SELECT|PRAGMA)/i.test(statement)) {
            connection.exec(statement)
            return []
          }
          return connection
            .prepare(statement)
            .all()
            .map((row) => ({ ...(typeof row === 'object' && row !== null ? row : {}) }))
        },
        async end() {
          connection.close()
        },
      }
    },
  }
  return {
    name: 'sqlite',
    servers: [],
    database,
    direct: { to: 'sqlite', path },
    async empty() {
      for (const each of ['', '-wal', '-shm', '-bells'].map((end) => `${path}${end}`))
        await rm(each, { recursive: true, force: true })
    },
    route: async () => ({ route: { to: 'sqlite', path }, wires: [] }),
    stop: () => guard.dismiss(),
  }
}

async function fill(ballast: string): Promise<void> {
  const file = await open(ballast, 'w')
  try {
    for (;;) await file.write(Buffer.alloc(BALLAST_BYTES))
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error
  } finally {
    await file.close()
  }
}
