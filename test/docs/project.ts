import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { transform } from 'esbuild'
import { root, type Snippet } from './snippet.js'

/** A reader's project: somewhere else, with this package and the client libraries installed. */
export class Project {
  private constructor(readonly dir: string) {}

  static async create(): Promise<Project> {
    const dir = await realpath(await mkdtemp(join(tmpdir(), 'holdfast-reader-')))
    const modules = join(dir, 'node_modules')
    await mkdir(modules)
    await writeFile(join(dir, 'package.json'), JSON.stringify({ private: true, type: 'module' }))
    await symlink(root, join(modules, 'holdfast'), 'junction')
    for (const name of ['ioredis', 'pg', 'postgres', 'mysql2', 'mariadb']) {
      await symlink(await realpath(join(root, 'node_modules', name)), join(modules, name), 'junction')
    }
    return new Project(dir)
  }

  /** Writes the code down, as the page has it but for the types. */
  async add({ page, line, code }: Snippet): Promise<string> {
    const file = join(this.dir, `${page.replaceAll('/', '-')}-${line}.js`)
    await writeFile(file, (await transform(code, { loader: 'ts', target: 'node20' })).code)
    return file
  }

  async remove(): Promise<void> {
    await rm(this.dir, { recursive: true, force: true })
  }
}
