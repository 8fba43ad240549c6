import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { root, type Snippet } from './snippet.js'
import { isOfNest, nestOptions } from './type-check.js'

/** What the examples import beside this package. */
const packages = [
  ...'ioredis redis pg postgres mysql2 mariadb iovalkey prom-client vitest'.split(' '),
  ...'express fastify hono node-cron bullmq'.split(' '),
  ...['api', 'context-async-hooks', 'sdk-trace-base'].map((name) => `@opentelemetry/${name}`),
  ...'common core platform-express schedule testing terminus'.split(' ').map((name) => `@nestjs/${name}`),
]

/** A reader's project: somewhere else, with this package, the client libraries and frameworks installed. */
export class Project {
  private constructor(readonly dir: string) {}

  static async create(): Promise<Project> {
    const dir = await realpath(await mkdtemp(join(tmpdir(), 'holdfast-reader-')))
    const modules = join(dir, 'node_modules')
    await mkdir(modules, { recursive: true })
    await writeFile(join(dir, 'package.json'), JSON.stringify({ private: true, type: 'module' }))
    await symlink(root, join(modules, 'holdfast'), 'junction')
    for (const name of packages) {
      const place = join(modules, name)
      await mkdir(dirname(place), { recursive: true })
      await symlink(await realpath(join(root, 'node_modules', name)), place, 'junction')
    }
    return new Project(dir)
  }

  /** Writes the code down, as the page has it but for the types. */
  async add(snippet: Snippet): Promise<string> {
    const file = this.#fileOf(snippet)
    await writeFile(file, plain(snippet.code, isOfNest(snippet)))
    return file
  }

  /** Writes down a program that runs code which is none: what it takes for granted is there before, and ends with it. */
  async addFragment(snippet: Snippet): Promise<string> {
    const file = this.#fileOf(snippet)
    const prelude = await readFile(fileURLToPath(new URL('fragment-prelude.ts', import.meta.url)), 'utf8')
    await writeFile(join(this.dir, 'prelude.js'), plain(prelude))
    const { code } = snippet
    const whole = `import './prelude.js'\nimport { exit } from 'node:process'\n${code}\nexit()\n`
    // Vitest ends by itself.
    await writeFile(file, plain(isOfVitest(code) ? code : whole, isOfNest(snippet)))
    return file
  }

  #fileOf({ page, line, code }: Snippet): string {
    return join(this.dir, `${page.replaceAll('/', '-')}-${line}${isOfVitest(code) ? '.test.js' : '.js'}`)
  }

  stop(): Promise<void> {
    return rm(this.dir, { recursive: true, force: true })
  }
}

export function isOfVitest(code: string): boolean {
  return code.includes('holdfast/conformance')
}

/** JavaScript of the same lines. */
function plain(code: string, ofNest = false): string {
  const { ESNext: module } = ts.ModuleKind
  const options = { module, target: ts.ScriptTarget.ES2022, verbatimModuleSyntax: true }
  const compilerOptions = ofNest ? { ...options, ...nestOptions } : options
  return ts.transpileModule(code, { compilerOptions }).outputText
}
