import process from 'node:process'
import { unpackFromDebian } from './debian.js'
import { findDocker } from './docker.js'
import { inDebian, oldest, releases, type Wanted } from './flavour.js'
import { run } from './kept.js'
import type { How, Need, Way } from './launch.js'
import { onPath } from './path.js'
import { processLauncher } from './process.js'

/** Which to try first: an engine (tests, for servers like those in production) or what is installed (the demo). */
export type Preference = 'docker' | 'binary'

export interface Order {
  readonly flavour?: Wanted
  readonly prefer?: Preference
  /** Hears where the server comes from; otherwise one line of standard error tells it. */
  readonly say?: (line: string) => void
}

/** What to type where a package manager can install a server, but not beside the system. */
const installCommands: readonly (readonly [manager: string, command: string])[] = [
  ['apt-get', 'sudo apt-get install redis-server'],
  ['dnf', 'sudo dnf install valkey'],
  ['apk', 'sudo apk add valkey'],
  ['brew', 'brew install redis'],
]

const orders: Readonly<Record<Preference, readonly How[]>> = {
  docker: ['docker', 'binary', 'package'],
  binary: ['binary', 'docker', 'package'],
}

/** Each looks in one place, and answers with a way, or with the reason why there is none. */
const places = { docker: findDocker, binary: findBinary, package: findPackage }

/** No server is to be had; the message says what was tried and what to do. */
export class NoServerError extends Error {
  override readonly name = 'NoServerError'
}

/** Decides where servers come from, and says so on one line: of standard error, unless something else is to hear it. */
export async function findWay(
  need: Need,
  prefer: Preference = 'docker',
  say: (line: string) => void = sayOnce,
): Promise<Way> {
  const refusals: string[] = []
  for (const how of orders[prefer]) {
    const found = await places[how](need)
    if (typeof found !== 'string') {
      const what = need.wanted === 'any' ? 'servers' : `${need.wanted} servers`
      say(`holdfast: ${what} by ${how}: ${found.from}`)
      return found
    }
    refusals.push(`  ${how}: ${found}`)
  }
  throw new NoServerError(advice(need, refusals))
}

function advice({ wanted, group }: Need, refusals: readonly string[]): string {
  const what = wanted === 'any' ? 'Redis (7.0 or newer) or Valkey' : wanted
  return [
    `no ${what} server was found, nor could one be brought. Looked for in:`,
    ...refusals,
    'Do one of these:',
    ...installCommands.map(([manager, command]) => `  where there is ${manager}: ${command}`),
    '  start Docker',
    ...(group ? [] : ['  name a server that may be written to: HOLDFAST_REDIS_URL=redis://host:6379']),
    ...(wanted === 'any' ? [] : ['  take whatever server there is: HOLDFAST_FLAVOUR=any']),
  ].join('\n')
}

const SAID = 'HOLDFAST_SERVERS_SAID'

/** Kept in the environment, so that the processes forked for single test files do not repeat it. */
function sayOnce(line: string): void {
  const said = process.env[SAID] ?? ''
  if (said.includes(line)) return
  process.env[SAID] = `${said}${line}\n`
  process.stderr.write(`${line}\n`)
}

async function findBinary({ wanted }: Need): Promise<Way | string> {
  const programs = wanted === 'any' ? ['redis-server', 'valkey-server'] : [releases[wanted].program]
  const refused: string[] = []
  for (const program of programs) {
    const path = await onPath(program)
    if (path === undefined) {
      refused.push(`no ${program} on PATH`)
      continue
    }
    const { stdout } = await run(path, ['--version'])
    const version = /^(?:Redis|Valkey) server v=(\d+\.\d+)/.exec(stdout)?.[1] ?? 'of unknown version'
    // Sharded pub/sub came with Redis 7.0.
    const fits = wanted === 'any' ? Number.parseInt(version, 10) >= 7 : version === releases[wanted].version
    if (fits) return { how: 'binary', from: path, launcher: processLauncher([path]) }
    refused.push(`${path} is ${version}, ${wanted === 'any' ? 'older than 7.0' : `not ${wanted}`}`)
  }
  return refused.join(', ')
}

/** Has the system's package manager bring a server, into a folder of the user's where it can do that. */
async function findPackage({ wanted }: Need): Promise<Way | string> {
  if ((await onPath('apt-get')) === undefined || (await onPath('dpkg')) === undefined) {
    for (const [manager, command] of installCommands)
      if ((await onPath(manager)) !== undefined) return `${manager} can bring one, if you run: ${command}`
    return 'no package manager this knows (apt-get, dnf, apk, brew)'
  }
  const flavour = wanted === 'any' ? oldest : wanted
  try {
    const { root, command } = await unpackFromDebian(inDebian(flavour))
    return {
      how: 'package',
      from: `Debian's packages, unpacked in ${root}`,
      launcher: processLauncher(command),
    }
  } catch (error) {
    return `Debian's packages could not be had: ${error instanceof Error ? error.message.trim() : String(error)}`
  }
}
