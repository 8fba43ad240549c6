import { execFile } from 'node:child_process'
import { access, mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { promisify } from 'node:util'

const run = promisify(execFile)

const VERSION = '6.2.0'
const ARTIFACT = `org.alloytools:org.alloytools.alloy.dist:${VERSION}`
const JAR = `org.alloytools.alloy.dist-${VERSION}.jar`
const COPY = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy'
/** Alloy carries this solver for this system only; the one in Java, which runs everywhere, takes several times as long. */
const SOLVER = process.platform === 'linux' && process.arch === 'x64' ? 'glucose' : 'sat4j'

/** Commands are short: what Java gains by compiling longer, and by collecting garbage beside, it loses again. */
const RUNTIME = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-Xss16m']

/** The model checker, from Maven Central. */
export class Alloy {
  private constructor(private readonly jar: string) {}

  /** Why none can be run here; else one, kept in the user's cache folder for the next time. */
  static async bring(): Promise<Alloy | string> {
    const java = await run('java', ['-version']).catch(String)
    if (typeof java === 'string') return `java does not run here: ${java}`
    const cache = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'holdfast', 'alloy')
    const jar = join(cache, JAR)
    const kept = await access(jar).then(
      () => true,
      () => false,
    )
    if (!kept) await fetchInto(cache)
    return new Alloy(jar)
  }

  /** Carries out one command of a file. Resolves to what is wrong when it does not end as the command expects. */
  async carryOut(file: string, command: string): Promise<string | undefined> {
    const output = await mkdtemp(join(tmpdir(), 'holdfast-alloy-'))
    const how = ['exec', '-q', '-f', '-s', SOLVER, '-t', 'none', '-o', output]
    try {
      await run('java', [...RUNTIME, '-jar', this.jar, ...how, '-c', command, file], {
        maxBuffer: 1 << 26,
      })
      return undefined
    } catch (error) {
      return error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : String(error)
    } finally {
      await rm(output, { recursive: true, force: true })
    }
  }
}

async function fetchInto(cache: string): Promise<void> {
  process.stderr.write(`holdfast: fetching Alloy ${VERSION} from Maven Central, this once\n`)
  await mkdir(cache, { recursive: true })
  const work = await mkdtemp(join(cache, '.fetching-'))
  try {
    await run('mvn', ['-q', '-B', COPY, `-Dartifact=${ARTIFACT}`, `-DoutputDirectory=${work}`], { cwd: work })
    await rename(join(work, JAR), join(cache, JAR))
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}
