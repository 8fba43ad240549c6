import { execFile } from 'node:child_process'
import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

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
    const failure = await failureOf(project, tool, ['-version'])
    if (failure !== undefined) return `${tool} does not run here: ${failure}`
  }
  if ((await changedAt([jar])) > (await changedAt(await sources(project)))) return undefined
  // What an older version was built with must not stay beside the new.
  await rm(`${project}target`, { recursive: true, force: true })
  const failure = await failureOf(project, 'mvn', ['-q', '-B', 'package'])
  return failure && `mvn package failed (is Maven Central to be reached?): ${failure}`
}

/** Where a program fails, one line of what it said. */
async function failureOf(cwd: string, program: string, args: readonly string[]): Promise<string | undefined> {
  try {
    await promisify(execFile)(program, args, { cwd })
    return undefined
  } catch (error) {
    const { stdout = '', stderr = '', message } = Object(error)
    return String(`${stdout}${stderr}` || message).split('\n')[0]
  }
}

async function sources(project: string): Promise<string[]> {
  const entries = await readdir(`${project}src`, { recursive: true })
  return [`${project}pom.xml`, ...entries.map((entry) => join(project, 'src', entry))]
}

/** When the newest of these files was changed; 0 when there is none. */
async function changedAt(files: readonly string[]): Promise<number> {
  const found = await Promise.all(files.map((file) => stat(file).catch(() => undefined)))
  return Math.max(...found.map((each) => each?.mtimeMs ?? 0))
}
