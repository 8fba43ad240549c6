import { execFile } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { promisify } from 'node:util'
import { thisOnce } from '../servers/progress.js'
import { installedMajor } from './combination.js'

const run = promisify(execFile)

export interface Node {
  readonly program: string
  /** As it says itself, such as `v22.12.0`. */
  readonly version: string
}

/**
 * The Node of that line: the one installed if it is of that line, else the one npm has as a package, which is kept in the
 * user's cache folder for the next time.
 *
 * @throws if it cannot be had, or turns out to be of another line.
 */
export async function provideNode(major: number): Promise<Node> {
  const program = major === installedMajor ? process.execPath : await fromPackage(major)
  const { stdout } = await run(program, ['--version'])
  const version = stdout.trim()
  if (!version.startsWith(`v${major}.`)) throw new Error(`${program} is Node ${version}, not ${major}`)
  return { program, version }
}

async function fromPackage(major: number): Promise<string> {
  const system = process.platform === 'win32' ? 'win' : process.platform
  const name = `node-${system}-${process.arch}`
  const cache = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache')
  const folder = join(cache, 'holdfast', 'node', String(major))
  const bin = process.platform === 'win32' ? 'node.exe' : 'node'
  const program = join(folder, 'node_modules', name, 'bin', bin)
  if (await starts(program)) return program

  await mkdir(folder, { recursive: true })
  const flags = ['--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline']
  await thisOnce(`fetching Node ${major} from npm`, folder, () =>
    run('npm', ['install', '--prefix', folder, `${name}@${major}`, ...flags]),
  )
  return program
}

async function starts(program: string): Promise<boolean> {
  return await run(program, ['--version']).then(
    () => true,
    () => false,
  )
}
