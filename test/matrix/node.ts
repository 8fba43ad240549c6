import { join } from 'node:path'
import process from 'node:process'
import { inCache, installFromNpm, kept, run } from '../servers/kept.js'
import { installedMajor } from './combination.js'

export interface Node {
  readonly program: string
  /** As it says itself, such as `v22.12.0`. */
  readonly version: string
}

/**
 * The Node of that line: the one installed if it is of that line, else the one npm has as a package.
 *
 * @throws if it cannot be had, or turns out to be of another line.
 */
export async function provideNode(major: number): Promise<Node> {
  const program = major === installedMajor ? process.execPath : await fromPackage(major)
  const version = (await run(program, ['--version'])).stdout.trim()
  if (!version.startsWith(`v${major}.`)) throw new Error(`${program} is Node ${version}, not ${major}`)
  return { program, version }
}

async function fromPackage(major: number): Promise<string> {
  const windows = process.platform === 'win32'
  const name = `node-${windows ? 'win' : process.platform}-${process.arch}`
  const place = inCache('node', String(major), 'node_modules')
  const packages = await kept(place, `fetching Node ${major} from npm`, (work) =>
    installFromNpm(work, `${name}@${major}`),
  )
  return join(packages, name, 'bin', windows ? 'node.exe' : 'node')
}
