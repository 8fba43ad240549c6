import process from 'node:process'
import { findBinary } from './binary.js'
import { findDocker } from './docker.js'
import type { Wanted } from './flavour.js'
import type { How, Need, Way } from './launch.js'
import { findPackage, installCommands } from './packages.js'

/** Which to try first: an engine (tests, for servers like those in production) or what is installed (the demo). */
export type Preference = 'docker' | 'binary'

export interface Order {
  readonly flavour?: Wanted
  readonly prefer?: Preference
  /** Hears where the server comes from; otherwise one line of standard error tells it. */
  readonly say?: (line: string) => void
}

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
