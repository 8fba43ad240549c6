import { execFile } from 'node:child_process'
import { access, mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { cacheFolder, unpackFromDebian } from '../debian.js'
import { onPath } from '../path.js'
import type { Command } from '../process.js'

const run = promisify(execFile)

/** The server and its command line. */
export type EtcdProgram = 'etcd' | 'etcdctl'

/** What Debian has them in. */
const SUITE = 'trixie'
const packages: Readonly<Record<EtcdProgram, string>> = { etcd: 'etcd-server', etcdctl: 'etcd-client' }

/** What they are built from where Debian's packages are not to be had. */
const RELEASE = 'v3.5.16'
const modules: Readonly<Record<EtcdProgram, string>> = {
  etcd: 'go.etcd.io/etcd/server/v3',
  etcdctl: 'go.etcd.io/etcd/etcdctl/v3',
}

const found = new Map<EtcdProgram, Promise<Command>>()

/** How to run it: what is on PATH, else Debian's, else what Go builds. Rejects if it cannot be had, and says what was tried. */
export function etcdProgram(program: EtcdProgram): Promise<Command> {
  const known = found.get(program) ?? find(program)
  found.set(program, known)
  return known
}

async function find(program: EtcdProgram): Promise<Command> {
  const path = await onPath(program)
  if (path !== undefined) return [path]
  const refusals: string[] = [`no ${program} on PATH`]
  for (const bring of [fromDebian, builtByGo]) {
    try {
      return await bring(program)
    } catch (error) {
      refusals.push(error instanceof Error ? error.message.trim() : String(error))
    }
  }
  throw new Error(`${program} is not to be had:\n  ${refusals.join('\n  ')}`)
}

async function fromDebian(program: EtcdProgram): Promise<Command> {
  const wanted = {
    name: `${program}-${SUITE}`,
    suite: SUITE,
    package: packages[program],
    program: `usr/bin/${program}`,
  }
  return (await unpackFromDebian(wanted)).command
}

/** Built in a folder of its own, and kept under its name once it is whole: two that build at once do not disturb each other. */
export async function builtByGo(program: EtcdProgram): Promise<Command> {
  const folder = join(cacheFolder(), `etcd-${RELEASE}-go`)
  const binary = join(folder, program)
  if (await isThere(binary)) return [binary]
  process.stderr.write(`holdfast: building ${program} ${RELEASE} with Go, this once\n`)
  await mkdir(folder, { recursive: true })
  const work = await mkdtemp(join(folder, '.building-'))
  try {
    // As a dependency of a module: `go install` refuses what has replace directives.
    for (const args of [
      ['mod', 'init', 'build'],
      ['get', `${modules[program]}@${RELEASE}`],
      ['build', '-o', program, modules[program]],
    ]) {
      await run('go', args, { cwd: work, maxBuffer: 2 ** 26 })
    }
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
