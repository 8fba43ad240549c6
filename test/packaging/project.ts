import { execFile } from 'node:child_process'
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { npm } from './packed.js'

const run = promisify(execFile)
const here = fileURLToPath(new URL('.', import.meta.url))

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
    await cp(join(here, files), project.folder, { recursive: true })
    const manifest = {
      name: 'consumer',
      private: true,
      dependencies: { ...dependencies, holdfast: `file:${tarball}` },
    }
    await writeFile(join(project.folder, 'package.json'), JSON.stringify(manifest))
    await npm(project.folder, ['install', '--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts'])
    return project
  }

  /** An empty folder, where no package is to be found. */
  static async bare(within = tmpdir()): Promise<Project> {
    return new Project(await mkdtemp(join(within, 'holdfast-consumer-')))
  }

  path(...names: string[]): string {
    return join(this.folder, ...names)
  }

  /** Runs a script of the project with the Node that runs this test, and returns what it printed. */
  async node(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string> {
    const options = { cwd: this.folder, env: { ...process.env, ...env }, timeout: 400_000 }
    const { stdout } = await run(process.execPath, args, options)
    return stdout.trim()
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true })
  }
}
