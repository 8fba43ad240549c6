import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename, join } from 'node:path'
import process from 'node:process'
import { promisify } from 'node:util'
import { fetchPackages } from './archive.js'
import type { Command } from './process.js'
import { thisOnce } from './progress.js'

const run = promisify(execFile)

export interface DebianProgram {
  readonly name: string
  readonly suite: string
  readonly package: string
  readonly program: string
  /** Folders that the program reads, as the package names them: they lie in `share` afterwards. */
  readonly share?: readonly string[]
}

/** A server unpacked from Debian packages with its own loader and libraries, independent of what the system has. */
export interface Unpacked {
  /** The smallest root file system the server runs in: `bin`, `lib` and `share`. */
  readonly root: string
  readonly command: Command
}

/**
 * Brings a server from Debian's archive without installing it: the packages are fetched by apt-get into folders of
 * ours, its signatures checked as ever, and the server is taken out with the libraries and the loader it was built
 * for. Needs neither root nor a system of the same release. Kept in the user's cache folder for the next time.
 */
export async function unpackFromDebian(wanted: DebianProgram): Promise<Unpacked> {
  const { stdout } = await run('dpkg', ['--print-architecture'])
  const cache = cacheFolder()
  const root = join(cache, `${wanted.name}-${stdout.trim()}`)
  const program = basename(wanted.program)
  const kept = await commandIn(root, program)
  if (kept !== undefined) return { root, command: kept }

  await mkdir(cache, { recursive: true })
  const work = await mkdtemp(join(cache, '.unpacking-'))
  try {
    await thisOnce(`fetching ${wanted.name} from Debian's archive`, work, async () => {
      await fetchPackages(work, wanted.suite, wanted.package)
      await takeOut(work, wanted)
    })
    // Whoever renames first has made the cache; another process that did the same work meanwhile uses that.
    await rename(join(work, 'root'), root).catch(async (error: unknown) => {
      if ((await commandIn(root, program)) === undefined) throw error
    })
  } finally {
    await rm(work, { recursive: true, force: true })
  }
  const command = await commandIn(root, program)
  if (command === undefined) throw new Error(`no ${program} was found in Debian's packages`)
  return { root, command }
}

export function cacheFolder(): string {
  return join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'holdfast', 'servers')
}

async function commandIn(root: string, program: string): Promise<Command | undefined> {
  const libraries = await readdir(join(root, 'lib')).catch(() => [])
  const loader = libraries.find((name) => name.startsWith('ld-linux'))
  if (loader === undefined) return undefined
  return [join(root, 'lib', loader), '--library-path', join(root, 'lib'), join(root, 'bin', program)]
}

/** Unpacks everything fetched and copies the server, its libraries, its loader and what it reads to `<work>/root`. */
async function takeOut(work: string, { program, share = [] }: DebianProgram): Promise<void> {
  const all = join(work, 'all')
  const root = join(work, 'root')
  const archives = join(work, 'archives')
  for (const name of await readdir(archives)) {
    if (name.endsWith('.deb')) await run('dpkg', ['-x', join(archives, name), all])
  }
  const folders = await libraryFolders(all)
  const loader = await findLoader(folders)
  const binary = join(all, program)
  await cp(binary, join(root, 'bin', basename(program)), { dereference: true })
  for (const folder of share) {
    await cp(join(all, folder), join(root, 'share', basename(folder)), { recursive: true })
  }
  const { stdout } = await run(loader, ['--library-path', folders.join(':'), '--list', binary])
  for (const [, expected, actual] of stdout.matchAll(/^\s*(\S+) => (\S+) \(/gm)) {
    if (expected === undefined || actual === undefined) continue
    if (!actual.startsWith(all))
      throw new Error(`${expected} is not among the packages fetched for ${program}`)
    await cp(actual, join(root, 'lib', basename(actual)), { dereference: true })
    // A program names its loader by full path: there it must be when the root is the root of a container.
    if (expected.startsWith('/')) await cp(actual, join(root, expected), { dereference: true })
  }
}

/** `/lib/<triplet>` and `/usr/lib/<triplet>`: older packages use the one, newer the other. */
async function libraryFolders(all: string): Promise<string[]> {
  const folders: string[] = []
  for (const parent of [join(all, 'lib'), join(all, 'usr', 'lib')]) {
    for (const name of await readdir(parent).catch(() => [])) {
      if (name.includes('-linux-gnu')) folders.push(join(parent, name))
    }
  }
  return folders
}

async function findLoader(folders: readonly string[]): Promise<string> {
  for (const folder of folders) {
    const name = (await readdir(folder)).find((entry) => entry.startsWith('ld-linux'))
    if (name !== undefined) return join(folder, name)
  }
  throw new Error('the packages fetched hold no dynamic loader')
}
