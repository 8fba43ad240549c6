import { execFile } from 'node:child_process'
import { access, cp, mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { cacheFolder } from '../debian.js'
import { onPath } from '../path.js'
import { thisOnce } from '../progress.js'

const run = promisify(execFile)
const pom = fileURLToPath(new URL('./pom.xml', import.meta.url))

/** What is fetched where none is installed; as in the pom. */
const VERSION = '3.9.4'

let found: Promise<string> | undefined

/** The classpath of a ZooKeeper server: of the one whose `zkServer.sh` is on the PATH, else from Maven Central, kept in the user's cache folder. */
export function zooKeeperClasspath(): Promise<string> {
  found ??= find()
  return found
}

async function find(): Promise<string> {
  await run('java', ['-version']).catch((error: unknown) => {
    throw new Error('no ZooKeeper is to be had: java does not run here', { cause: error })
  })
  const script = await onPath('zkServer.sh')
  const beside = script === undefined ? undefined : join(dirname(dirname(script)), 'lib')
  if (beside !== undefined && (await isThere(beside))) return join(beside, '*')
  const cache = cacheFolder()
  const folder = join(cache, `zookeeper-${VERSION}`)
  if (!(await isThere(folder))) await fetchTo(cache, folder)
  return join(folder, '*')
}

async function fetchTo(cache: string, folder: string): Promise<void> {
  await mkdir(cache, { recursive: true })
  const work = await mkdtemp(join(cache, '.unpacking-'))
  try {
    await cp(pom, join(work, 'pom.xml'))
    const goal = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies'
    await thisOnce(`fetching ZooKeeper ${VERSION} from Maven Central`, work, () =>
      run('mvn', ['-q', '-B', goal, '-DoutputDirectory=lib'], { cwd: work }),
    )
    // Whoever renames first has made the cache; another process that did the same work meanwhile uses that.
    await rename(join(work, 'lib'), folder).catch(async (error: unknown) => {
      if (!(await isThere(folder))) throw error
    })
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

function isThere(folder: string): Promise<boolean> {
  return access(folder).then(
    () => true,
    () => false,
  )
}
