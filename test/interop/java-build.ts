import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A program in Java that stands beside Holdfast: a folder here. */
export type Peer = 'redisson' | 'curator'

function projectOf(peer: Peer): string {
  return fileURLToPath(new URL(`./${peer}/`, import.meta.url))
}

/** Where the peer's classes are, and the libraries it runs with. */
export function classpathOf(peer: Peer): string {
  const project = projectOf(peer)
  return `${project}target/classes:${project}target/dependency/*`
}

/** Builds the peer where its sources are newer than what was built. Why none can be run here; undefined when one can. */
export async function whyNoPeer(peer: Peer): Promise<string | undefined> {
  const project = projectOf(peer)
  const jar = `${project}target/${peer}-peer-1.jar`
  for (const tool of ['java', 'mvn']) {
    const trial = await run(project, tool, ['-version'])
    if (trial.code !== 0) return `${tool} does not run here: ${trial.said}`
  }
  if ((await changedAt([jar])) > (await changedAt(await sources(project)))) return undefined
  // What an older version was built with must not stay beside the new.
  await rm(`${project}target`, { recursive: true, force: true })
  const build = await run(project, 'mvn', ['-q', '-B', 'package'])
  if (build.code !== 0) return `mvn package failed (is Maven Central to be reached?): ${build.said}`
  return undefined
}

/** One line of what a program said tells why it failed. */
async function run(
  project: string,
  program: string,
  args: readonly string[],
): Promise<{ code: unknown; said: string }> {
  const child = spawn(program, args, { cwd: project, stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (bytes) => {
      said += String(bytes)
    })
  }
  try {
    const [code] = await once(child, 'close')
    return { code, said: said.split('\n')[0] ?? '' }
  } catch (error) {
    return { code: undefined, said: String(error) }
  }
}

async function sources(project: string): Promise<string[]> {
  const entries = await readdir(`${project}src`, { recursive: true })
  return [`${project}pom.xml`, ...entries.map((entry) => join(project, 'src', entry))]
}

/** When the newest of these files was changed; 0 when there is none. */
async function changedAt(files: readonly string[]): Promise<number> {
  const times = await Promise.all(
    files.map((file) =>
      stat(file).then(
        ({ mtimeMs }) => mtimeMs,
        () => 0,
      ),
    ),
  )
  return Math.max(0, ...times)
}
