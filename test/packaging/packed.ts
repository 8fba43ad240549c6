import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** The checkout. */
export const root = fileURLToPath(new URL('../../', import.meta.url))

/** What `npm publish` would upload. */
export interface Packed {
  /** The tarball. */
  readonly file: string
  /** Paths within it, below `package/`. */
  readonly paths: readonly string[]
  readonly packedBytes: number
  readonly unpackedBytes: number
}

const SOURCES = ['src', 'lua', 'scripts', 'tsconfig.json', 'tsconfig.build.json', 'package.json']
const PAGES = ['README.md', 'LICENSE', 'CHANGELOG.md', 'SECURITY.md', 'docs', 'etc']

/**
 * Builds and packs a copy of the sources in a folder of its own: a build in the checkout may be under way, or be older than
 * what is to be tested.
 */
export async function pack(): Promise<Packed & AsyncDisposable> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-pack-'))
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true })
  try {
    return { ...(await packInto(folder)), [Symbol.asyncDispose]: remove }
  } catch (error) {
    await remove()
    throw error
  }
}

async function packInto(folder: string): Promise<Packed> {
  const copy = join(folder, 'copy')
  await mkdir(copy)
  for (const path of [...SOURCES, ...PAGES]) await cp(join(root, path), join(copy, path), { recursive: true })
  await symlink(join(root, 'node_modules'), join(copy, 'node_modules'))
  await npm(copy, ['run', 'prepack'])
  const stdout = await npm(copy, ['pack', '--json', '--ignore-scripts', '--pack-destination', folder])
  const { filename, files, size, unpackedSize } = readReport(stdout)
  return {
    file: join(folder, filename),
    paths: files.map(({ path }) => path).sort(),
    packedBytes: size,
    unpackedBytes: unpackedSize,
  }
}

/** Runs npm and returns what it printed. */
export async function npm(
  cwd: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  try {
    const { stdout } = await run('npm', args, { cwd, env: { ...quietEnvironment(), ...env } })
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

interface PackReport {
  readonly filename: string
  readonly files: ReadonlyArray<{ readonly path: string }>
  readonly size: number
  readonly unpackedSize: number
}

/** npm prints a list of reports; its releases since 12 print an object by package name. */
function readReport(json: string): PackReport {
  const parsed: unknown = JSON.parse(json)
  const [report] = Object.values(parsed ?? {})
  if (isPackReport(report)) return report
  throw new Error(`npm pack --json printed something else: ${json.slice(0, 500)}`)
}

function isPackReport(value: unknown): value is PackReport {
  return (
    typeof value === 'object' && value !== null && 'filename' in value && 'files' in value && 'size' in value
  )
}
