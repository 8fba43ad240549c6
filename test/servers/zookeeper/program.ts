import { existsSync } from 'node:fs'
import { cp } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { inCache, kept, run } from '../kept.js'
import { onPath } from '../path.js'

const VERSION = '3.9.4'

let found: Promise<string> | undefined

/** The classpath of a ZooKeeper server: of the one whose `zkServer.sh` is on the PATH, else from Maven Central. */
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
  if (beside !== undefined && existsSync(beside)) return join(beside, '*')
  const folder = await kept(
    inCache('servers', `zookeeper-${VERSION}`),
    `fetching ZooKeeper ${VERSION} from Maven Central`,
    async (work) => {
      await cp(fileURLToPath(new URL('./pom.xml', import.meta.url)), join(work, 'pom.xml'))
      const goal = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies'
      await run('mvn', ['-q', '-B', goal, '-DoutputDirectory=lib'], { cwd: work })
      return join(work, 'lib')
    },
  )
  return join(folder, '*')
}
