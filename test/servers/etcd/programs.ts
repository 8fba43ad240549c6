import { execFile } from 'node:child_process'
import { access, mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { cacheFolder, unpackFromDebian } from '../debian.js'
import { onPath } from '../path.js'
import type { Command } from '../process.js'
import { thisOnce } from '../progress.js'

const run = promisify(execFile)

export type EtcdProgram = 'etcd' | 'etcdctl'

/** The releases that tests ask for by name; else it is 3.5, or what is on PATH. */
export type EtcdRelease = '3.4' | '3.5' | '3.6'

/** Where Debian has each; undefined: nowhere. */
const suites: Readonly<Record<EtcdRelease, string | undefined>> = {
  '3.4': 'bookworm',
  '3.5': 'trixie',
  '3.6': undefined,
}
const packages: Readonly<Record<EtcdProgram, string>> = { etcd: 'etcd-server', etcdctl: 'etcd-client' }

/** What they are built from where Debian's packages are not to be had; Go's proxy has no module of 3.4. */
const versions: Readonly<Record<EtcdRelease, string | undefined>> = {
  '3.4': undefined,
  '3.5': 'v3.5.16',
  '3.6': 'v3.6.9',
}
const modules: Readonly<Record<EtcdProgram, string>> = {
  etcd: 'go.etcd.io/etcd/server/v3',
  etcdctl: 'go.etcd.io/etcd/etcdctl/v3',
}

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
  const suite = suites[release]
  if (suite === undefined) throw new Error(`Debian has no ${program} ${release}`)
  const wanted = {
    name: `${program}-${suite}`,
    suite,
    package: packages[program],
    program: `usr/bin/${program}`,
  }
  return (await unpackFromDebian(wanted)).command
}

/** Built in a folder of its own, and kept under its name once it is whole: two that build at once do not disturb each other. */
async function builtByGo(program: EtcdProgram, release: EtcdRelease): Promise<Command> {
  const version = versions[release]
  if (version === undefined) throw new Error(`Go's proxy has no ${program} ${release}`)
  const folder = join(cacheFolder(), `etcd-${version}-go`)
  const binary = join(folder, program)
  if (await isThere(binary)) return [binary]
  await mkdir(folder, { recursive: true })
  const work = await mkdtemp(join(folder, '.building-'))
  try {
    // As a dependency of a module: `go install` refuses what has replace directives.
    await thisOnce(`building ${program} ${version} with Go`, work, async () => {
      for (const args of [
        ['mod', 'init', 'build'],
        ['get', `${modules[program]}@${version}`],
        ['build', '-o', program, modules[program]],
      ]) {
        await run('go', args, { cwd: work, maxBuffer: 2 ** 26 })
      }
    })
    await rename(join(work, program), binary)
  } finally {
    await rm(work, { recursive: true, force: true })
  }
  return [binary]
}

function isThere(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  )
}
