import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chown, readdir, stat, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import process from 'node:process'
import pg from 'pg'
import { Guard } from '../servers/guard.js'
import { freePort } from '../servers/port.js'
import type { SqlAddress } from '../servers/sql/index.js'
import { until } from '../servers/until.js'

const PROGRAM = 'pgbouncer'

/** Where it is, if it is on this machine. */
export const pooler = await find()

async function find(): Promise<string | undefined> {
  for (const folder of ['/usr/sbin', ...(process.env['PATH'] ?? '').split(delimiter)]) {
    const names: string[] = await readdir(folder).catch(() => [])
    if (names.includes(PROGRAM)) return join(folder, PROGRAM)
  }
  return undefined
}

/** PgBouncer before the server whose socket lies in that folder: each statement runs where there is room. */
export async function bringPooler(
  program: string,
  server: SqlAddress,
): Promise<{ readonly address: SqlAddress; stop(): Promise<void> }> {
  const guard = await Guard.mount()
  const { dir } = guard
  const port = await freePort()
  try {
    // It refuses to run as root. As the server's user it reaches its socket.
    const { uid, gid } = await stat(server.dir)
    const root = process.getuid?.() === 0
    if (root) await chown(dir, uid, gid)
    const file = join(dir, 'pgbouncer.ini')
    await writeFile(
      file,
      `[databases]
${server.database} = host=${server.dir} port=${server.port} user=${server.user}
[pgbouncer]
listen_addr = 127.0.0.1
unix_socket_dir = ${dir}
listen_port = ${port}
auth_type = any
pool_mode = transaction
default_pool_size = 5
server_login_retry = 1
`,
    )
    const child = spawn(program, [file], { detached: true, stdio: 'ignore', ...(root && { uid, gid }) })
    child.unref()
    await once(child, 'spawn')
    guard.undo(`kill -9 ${child.pid}`)
    await until(
      async () => {
        const client = new pg.Client({ host: dir, port, user: server.user, database: server.database })
        await client.connect()
        await client.query('SELECT 1').finally(() => client.end())
        return true
      },
      { what: 'the pooler answers' },
    )
    return { address: { ...server, dir, port }, stop: () => guard.dismiss() }
  } catch (error) {
    await guard.dismiss()
    throw error
  }
}
