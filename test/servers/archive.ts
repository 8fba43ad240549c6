import { execFile } from 'node:child_process'
import { access, mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

const MIRROR = 'http://deb.debian.org/debian'
const KEYRING = 'usr/share/keyrings/debian-archive-keyring.gpg'

/** Fetches a package of a Debian release and all it depends on into `<work>/archives`. */
export async function fetchPackages(work: string, suite: string, name: string): Promise<void> {
  await mkdir(join(work, 'lists', 'partial'), { recursive: true })
  await mkdir(join(work, 'archives', 'partial'), { recursive: true })
  // With no package installed as far as apt knows, it fetches every dependency, the C library included.
  await writeFile(join(work, 'status'), '')
  await writeFile(
    join(work, 'sources.list'),
    `deb [signed-by=${await keyring(work)}] ${MIRROR} ${suite} main\n`,
  )
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
  await apt(work, 'update', '--error-on=any')
  await apt(work, 'install', '--download-only', '--yes', '--no-install-recommends', name)
}

function apt(work: string, ...args: string[]): Promise<unknown> {
  return run('apt-get', ['-c', join(work, 'apt.conf'), '-qq', ...args])
}

/**
 * Debian's signing keys: those of the system where it has them, else from the package of the system's own archive
 * (Ubuntu carries it), which apt has checked with the system's keys.
 */
async function keyring(work: string): Promise<string> {
  const system = join('/', KEYRING)
  const present = await access(system).then(
    () => true,
    () => false,
  )
  if (present) return system
  const folder = join(work, 'keyring')
  await mkdir(folder)
  await run('apt-get', ['-qq', 'download', 'debian-archive-keyring'], { cwd: folder })
  for (const name of await readdir(folder)) await run('dpkg', ['-x', join(folder, name), folder])
  return join(folder, KEYRING)
}
