import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { promisify } from 'node:util'
import { thisOnce } from './progress.js'

export const run = promisify(execFile)

export function inCache(...names: readonly string[]): string {
  return join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'holdfast', ...names)
}

/**
 * What is made once, and kept at that place for the next time.
 *
 * @param how it is made, for the line that says so, such as `fetching ZooKeeper from Maven Central`
 * @param make makes it in a folder of its own, and says where it is then
 */
export async function kept(
  place: string,
  how: string,
  make: (work: string) => Promise<string>,
): Promise<string> {
  if (existsSync(place)) return place
  await mkdir(dirname(place), { recursive: true })
  const work = await mkdtemp(join(dirname(place), '.making-'))
  try {
    const made = await thisOnce(how, () => make(work))
    // Whoever renames first has made it; another process that did the same work meanwhile uses that.
    await rename(made, place).catch((error: unknown) => {
      if (!existsSync(place)) throw error
    })
  } finally {
    await rm(work, { recursive: true, force: true })
  }
  return place
}

/** Has npm install a package, whose scripts are not run. Resolves with the folder of all packages that this takes. */
export async function installFromNpm(work: string, wanted: string): Promise<string> {
  const flags = ['--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline']
  await run('npm', ['install', '--prefix', work, ...flags, wanted])
  return join(work, 'node_modules')
}
