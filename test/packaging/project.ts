import { execFile } from 'node:child_process'
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { promisify } from 'node:util'
import { inject } from 'vitest'
import { install, root } from './packed.js'

/** Someone's project that depends on the tarball, in a folder outside the checkout. */
export class Project {
  private constructor(readonly folder: string) {}

  /**
   * Makes a project of the files in a folder beside this one and installs what it depends on, the tarball among it.
   * @param within a folder whose packages it finds too.
   */
  static async install(
    tarball: string,
    dependencies: Readonly<Record<string, string>>,
    files = 'consumers',
    within = tmpdir(),
  ): Promise<Project> {
    const project = await Project.bare(within)
    await cp(join(root, 'test', 'packaging', files), project.folder, { recursive: true })
    await project.dependOn(tarball, dependencies)
    await install(project.folder)
    return project
  }

  static async bare(within = tmpdir()): Promise<Project> {
    return new Project(await mkdtemp(join(within, 'holdfast-consumer-')))
  }

  async dependOn(tarball: string, others: Readonly<Record<string, string>> = {}): Promise<void> {
    const dependencies = { ...others, holdfast: `file:${tarball}` }
    const manifest = JSON.stringify({ name: 'consumer', private: true, dependencies })
    await writeFile(this.path('package.json'), manifest)
  }

  path(...names: string[]): string {
    return join(this.folder, ...names)
  }

  /** Runs a script of the project with the Node that runs this test, or another program, and returns what it printed. */
  async node(args: readonly string[], env = {}, program = process.execPath): Promise<string> {
    const options = { cwd: this.folder, env: { ...process.env, ...env }, timeout: 400_000 }
    const { stdout } = await promisify(execFile)(program, args, options)
    return stdout.trim()
  }

  async end(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true })
  }
}

let names = 0

/** What tells a program where to take a lock that nobody else uses. */
export function environment() {
  names += 1
  return { REDIS_URL: inject('servers').standalone.url, LOCK_NAME: `packaging:${process.pid}:${names}` }
}
