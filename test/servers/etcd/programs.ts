import { join } from 'node:path'
import { unpackFromDebian } from '../debian.js'
import { inCache, kept, run } from '../kept.js'
import { onPath } from '../path.js'
import type { Command } from '../process.js'

export type EtcdProgram = 'etcd' | 'etcdctl'

/** The releases that tests ask for by name; else it is 3.5, or what is on PATH. */
export type EtcdRelease = '3.4' | '3.5' | '3.6'

/** Where Debian has each, and what it is built from where Debian's packages are not to be had; Go's proxy has no module of 3.4. */
const releases: Readonly<Record<EtcdRelease, { readonly suite?: string; readonly version?: string }>> = {
  '3.4': { suite: 'bookworm' },
  '3.5': { suite: 'trixie', version: 'v3.5.16' },
  '3.6': { version: 'v3.6.9' },
}

const sources = {
  etcd: { package: 'etcd-server', module: 'go.etcd.io/etcd/server/v3' },
  etcdctl: { package: 'etcd-client', module: 'go.etcd.io/etcd/etcdctl/v3' },
} as const

const found = new Map<string, Promise<Command>>()

/** How to run it: what is on PATH, else Debian's, else what Go builds. Rejects if it cannot be had, and says what was tried. */
export function etcdProgram(program: EtcdProgram, release?: EtcdRelease): Promise<Command> {
  const name = `${program} ${release}`
  const known = found.get(name) ?? find(program, release)
  found.set(name, known)
  return known
}

async function find(program: EtcdProgram, release: EtcdRelease | undefined): Promise<Command> {
  const path = release === undefined ? await onPath(program) : undefined
  if (path !== undefined) return [path]
  const refusals: string[] = [`no ${program} on PATH`]
  for (const bring of [fromDebian, builtByGo]) {
    try {
      return await bring(program, release ?? '3.5')
    } catch (error) {
      refusals.push(error instanceof Error ? error.message.trim() : String(error))
    }
  }
  throw new Error(`${program} is not to be had:\n  ${refusals.join('\n  ')}`)
}

async function fromDebian(program: EtcdProgram, release: EtcdRelease): Promise<Command> {
  const { suite } = releases[release]
  if (suite === undefined) throw new Error(`Debian has no ${program} ${release}`)
  const name = `${program}-${suite}`
  const wanted = { name, suite, package: sources[program].package, program: `usr/bin/${program}` }
  return (await unpackFromDebian(wanted)).command
}

async function builtByGo(program: EtcdProgram, release: EtcdRelease): Promise<Command> {
  const { version } = releases[release]
  if (version === undefined) throw new Error(`Go's proxy has no ${program} ${release}`)
  const { module } = sources[program]
  // As a dependency of a module: `go install` refuses what has replace directives.
  const steps = [
    ['mod', 'init', 'build'],
    ['get', `${module}@${version}`],
    ['build', '-o', program, module],
  ]
  const place = inCache('servers', `etcd-${version}-go`, program)
  const binary = await kept(place, `building ${program} ${version} with Go`, async (work) => {
    for (const args of steps) await run('go', args, { cwd: work, maxBuffer: 2 ** 26 })
    return join(work, program)
  })
  return [binary]
}
