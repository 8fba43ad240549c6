import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

/** The checkout. */
export const root = fileURLToPath(new URL('../../', import.meta.url))

/** Compilers and installers take their time on a machine that runs other tests too. */
export const PATIENCE_MS = 400_000

/** What `npm publish` would upload. */
export interface Packed {
  /** The tarball. */
  readonly file: string
  /** Paths within it, below `package/`. */
  readonly paths: readonly string[]
  readonly unpackedBytes: number
  /** Removes it. */
  end(): Promise<void>
}

const SOURCES = ['src', 'lua', 'scripts', 'tsconfig.json', 'tsconfig.build.json', 'package.json']
const PAGES = ['README.md', 'LICENSE', 'CHANGELOG.md', 'SECURITY.md', 'docs', 'etc']

/**
 * Builds and packs a copy of the sources in a folder of its own: a build in the checkout may be under way, or be older than
 * what is to be tested.
 */
export async function pack(): Promise<Packed> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-pack-'))
  const end = (): Promise<void> => rm(folder, { recursive: true, force: true })
  try {
    return { ...(await packInto(folder)), end }
  } catch (error) {
    await end()
    throw error
  }
}

async function packInto(folder: string): Promise<Omit<Packed, 'end'>> {
  const copy = join(folder, 'copy')
  await mkdir(copy)
  for (const path of [...SOURCES, ...PAGES]) await cp(join(root, path), join(copy, path), { recursive: true })
  await symlink(join(root, 'node_modules'), join(copy, 'node_modules'))
  await npm(copy, ['run', 'prepack'])
  const stdout = await npm(copy, ['pack', '--json', '--ignore-scripts', '--pack-destination', folder])
  // npm prints a list of reports; its releases since 12 print an object by package name.
  const reports: Record<string, { filename: string; files: Array<{ path: string }>; unpackedSize: number }> =
    JSON.parse(stdout)
  const [report] = Object.values(reports)
  if (!report) throw new Error(`npm pack --json printed something else: ${stdout.slice(0, 500)}`)
  const paths = report.files.map(({ path }) => path).sort()
  return { file: join(folder, report.filename), paths, unpackedBytes: report.unpackedSize }
}

/** Installs what a folder's manifest names, and these packages. */
export async function install(cwd: string, packages: readonly string[] = [], env = {}): Promise<void> {
  const flags = ['--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts']
  await npm(cwd, ['install', ...packages, ...flags], env)
}

/** Runs npm and returns what it printed. */
export async function npm(cwd: string, args: readonly string[], env = {}): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)('npm', args, { cwd, env: { ...quietEnvironment(), ...env } })
    return stdout
  } catch (cause) {
    const { stdout = '', stderr = '' } = Object(cause)
    throw new Error(`npm ${args.join(' ')} failed:\n${stdout}${stderr}`, { cause })
  }
}

/** An npm that runs this test hands its own settings down by environment; they are no business of another project's. */
function quietEnvironment(): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !/^npm_(config|package|lifecycle)_/i.test(name))
  return { ...Object.fromEntries(own), npm_config_update_notifier: 'false' }
}
