import { readdir } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import process from 'node:process'
import { run } from '../kept.js'
import type { Program } from './product.js'

/** Finds programs that belong together: all in one of these folders, or of those of PATH. */
export async function onMachine(
  names: readonly string[],
  folders: readonly string[] = [],
  alsoPath = true,
): Promise<{ folder: string; program(name: string): Program } | undefined> {
  const path = alsoPath ? (process.env['PATH'] ?? '').split(delimiter) : []
  for (const folder of [...folders, ...path]) {
    const present = new Set<string>(await readdir(folder).catch(() => []))
    if (names.every((name) => present.has(name)))
      return { folder, program: (name) => ({ command: [join(folder, name)] }) }
  }
  return undefined
}

export async function identityOf(
  users: readonly string[],
): Promise<{ readonly uid: number; readonly gid: number } | undefined> {
  for (const user of users) {
    const ids = await Promise.all(
      ['-u', '-g'].map((which) => run('id', [which, user]).catch(() => undefined)),
    )
    const [uid, gid] = ids.map((id) => Number(id?.stdout))
    if (uid && gid) return { uid, gid }
  }
  return undefined
}

/** Whether this process may do everything, which PostgreSQL refuses to run as. */
export function isRoot(): boolean {
  return process.getuid?.() === 0
}
