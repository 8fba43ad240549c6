import { existsSync } from 'node:fs'
import { cp, mkdir, readdir, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { inCache, kept, run } from './kept.js'
import type { Command } from './process.js'

const MIRROR = 'http://deb.debian.org/debian'
const KEYRING = 'usr/share/keyrings/debian-archive-keyring.gpg'

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
 * for. Needs neither root nor a system of the same release.
 */
export async function unpackFromDebian(wanted: DebianProgram): Promise<Unpacked> {
  const { stdout } = await run('dpkg', ['--print-architecture'])
  const root = await kept(
    inCache('servers', `${wanted.name}-${stdout.trim()}`),
    `fetching ${wanted.name} from Debian's archive`,
    async (work) => {
      await fetchPackages(work, wanted)
      return await takeOut(work, wanted)
    },
  )
  const libraries = join(root, 'lib')
  const loader = (await readdir(libraries)).find((name) => name.startsWith('ld-linux'))
  if (loader === undefined) throw new Error(`${root} has no dynamic loader`)
  const program = join(root, 'bin', basename(wanted.program))
  return { root, command: [join(libraries, loader), '--library-path', libraries, program] }
}

async function fetchPackages(work: string, { suite, package: name }: DebianProgram): Promise<void> {
  await mkdir(join(work, 'lists', 'partial'), { recursive: true })
  await mkdir(join(work, 'archives', 'partial'), { recursive: true })
  // With no package installed as far as apt knows, it fetches every dependency, the C library included.
  await writeFile(join(work, 'status'), '')
  const source = `deb [signed-by=${await keyring(work)}] ${MIRROR} ${suite} main\n`
  await writeFile(join(work, 'sources.list'), source)
  await writeFile(
    join(work, 'apt.conf'),
    `Dir::State "${work}";
Dir::State::lists "${work}/lists";
Dir::State::status "${work}/status";
Dir::Cache "${work}";
Dir::Cache::archives "${work}/archives";
Dir::Etc::sourcelist "${work}/sources.list";
Dir::Etc::sourceparts "-";
Dir::Etc::preferences "-";
Dir::Etc::preferencesparts "-";
APT::Sandbox::User "";
Acquire::Languages "none";
Acquire::Retries "3";
Acquire::IndexTargets::deb::DEP-11::DefaultEnabled "false";
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
`,
  )
  const apt = (...args: string[]): Promise<unknown> =>
    run('apt-get', ['-c', join(work, 'apt.conf'), '-qq', ...args])
  await apt('update', '--error-on=any')
  await apt('install', '--download-only', '--yes', '--no-install-recommends', name)
}

/**
 * Debian's signing keys: those of the system where it has them, else from the package of the system's own archive
 * (Ubuntu carries it), which apt has checked with the system's keys.
 */
async function keyring(work: string): Promise<string> {
  const system = join('/', KEYRING)
  if (existsSync(system)) return system
  const folder = join(work, 'keyring')
  await mkdir(folder)
  await run('apt-get', ['-qq', 'download', 'debian-archive-keyring'], { cwd: folder })
  for (const name of await readdir(folder)) await run('dpkg', ['-x', join(folder, name), folder])
  return join(folder, KEYRING)
}

/** Unpacks everything fetched and copies the server, its libraries, its loader and what it reads to `<work>/root`. */
async function takeOut(work: string, { program, share = [] }: DebianProgram): Promise<string> {
  const all = join(work, 'all')
  const root = join(work, 'root')
  const archives = join(work, 'archives')
  for (const name of await readdir(archives))
    if (name.endsWith('.deb')) await run('dpkg', ['-x', join(archives, name), all])
  const binary = join(all, program)
  await cp(binary, join(root, 'bin', basename(program)), { dereference: true })
  for (const folder of share)
    await cp(join(all, folder), join(root, 'share', basename(folder)), { recursive: true })
  // Older packages use `/lib/<triplet>`, newer ones `/usr/lib/<triplet>`.
  const names = await readdir(all, { recursive: true })
  const folders = names.filter((name) => /^(usr\/)?lib\/[^/]*-linux-gnu[^/]*$/.test(name))
  const loader = names.find((name) => /^(usr\/)?lib\/[^/]*-linux-gnu[^/]*\/ld-linux[^/]*$/.test(name))
  if (loader === undefined) throw new Error('the packages fetched hold no dynamic loader')
  const path = folders.map((name) => join(all, name)).join(':')
  const { stdout } = await run(join(all, loader), ['--library-path', path, '--list', binary])
  for (const [, expected, actual] of stdout.matchAll(/^\s*(\S+) => (\S+) \(/gm)) {
    if (expected === undefined || actual === undefined) continue
    if (!actual.startsWith(all))
      throw new Error(`${expected} is not among the packages fetched for ${program}`)
    await cp(actual, join(root, 'lib', basename(actual)), { dereference: true })
    // A program names its loader by full path: there it must be when the root is the root of a container.
    if (expected.startsWith('/')) await cp(actual, join(root, expected), { dereference: true })
  }
  return root
}
