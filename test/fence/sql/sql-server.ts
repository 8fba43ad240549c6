import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chown, open, readdir, readFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import process from 'node:process'
import { promisify } from 'node:util'
import { Guard } from '../../servers/guard.js'
import { until } from '../../servers/until.js'

const run = promisify(execFile)

/** A database server of one test file, on a data folder of its own, to be reached by a Unix socket only. */
export interface SqlServer {
  /** The folder of its socket. */
  readonly dir: string
  stop(): Promise<void>
}

/** What it takes to have one. */
export interface SqlProduct {
  readonly name: string
  /** The Debian package, for who wants the tests to run. */
  readonly package: string
  /** The programs that are needed, and folders beside those of PATH where they may be. */
  readonly programs: readonly [setup: string, server: string]
  readonly folders: readonly string[]
  /** As whom it runs where this process is root, which it refuses to be. */
  readonly user: string
  setupArguments(dir: string): string[]
  serverArguments(dir: string): string[]
  /** Resolves if it answers. */
  ping(dir: string): Promise<void>
}

/** What is needed, where it is; `undefined` where it is not. */
export interface Installed {
  readonly setup: string
  readonly server: string
  readonly identity: { readonly uid: number; readonly gid: number } | undefined
}

export async function findProduct({ programs, folders, user }: SqlProduct): Promise<Installed | undefined> {
  const places = [...folders, ...(process.env['PATH'] ?? '').split(delimiter)]
  const [setup, server] = await Promise.all(programs.map((program) => find(program, places)))
  if (setup === undefined || server === undefined) return undefined
  if (process.getuid?.() !== 0) return { setup, server, identity: undefined }
  const ids = await Promise.all(['-u', '-g'].map((which) => run('id', [which, user]).catch(() => undefined)))
  const [uid, gid] = ids.map((id) => Number(id?.stdout))
  return uid && gid ? { setup, server, identity: { uid, gid } } : undefined
}

/** Neither the server nor its folder outlives this process. */
export async function bringSqlServer(product: SqlProduct, installed: Installed): Promise<SqlServer> {
  const guard = await Guard.mount()
  const { dir } = guard
  try {
    const { setup, server, identity } = installed
    if (identity) await chown(dir, identity.uid, identity.gid)
    const options = { cwd: dir, env: { ...process.env, HOME: dir, LC_ALL: 'C' }, ...identity }
    await run(setup, product.setupArguments(dir), options)
    const log = join(dir, 'output.txt')
    const output = await open(log, 'w')
    const child = spawn(server, product.serverArguments(dir), {
      ...options,
      detached: true,
      stdio: ['ignore', output.fd, output.fd],
    })
    child.unref()
    await once(child, 'spawn').finally(() => output.close())
    // SIGQUIT is PostgreSQL's way to end at once with all its processes; what does not heed it is killed.
    guard.undo(
      `kill -QUIT ${child.pid}; for i in 1 2 3 4 5 6 7 8 9 10; do kill -0 ${child.pid} || break; sleep 0.1; done; kill -9 ${child.pid}`,
    )
    await until(
      async () => {
        if (child.exitCode !== null) throw new Error(await readFile(log, 'utf8'))
        await product.ping(dir)
        return true
      },
      { what: `${product.name} answers` },
    )
    return { dir, stop: () => guard.dismiss() }
  } catch (error) {
    await guard.dismiss()
    throw error
  }
}

async function find(program: string, folders: readonly string[]): Promise<string | undefined> {
  for (const folder of folders) {
    const names: string[] = await readdir(folder).catch(() => [])
    if (names.includes(program)) return join(folder, program)
  }
  return undefined
}
