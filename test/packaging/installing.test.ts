/** Who can install the package: beside old and new releases of what it works with, by every package manager. */
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import { promisify } from 'node:util'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { provideNode } from '../matrix/node.js'
import { duringAll } from '../setup/during.js'
import { npm, PATIENCE_MS, pack } from './packed.js'
import { Project } from './project.js'
import { fromNpm } from './runtime.js'

const exhaustive = process.env['HOLDFAST_EXHAUSTIVE'] === '1'

/** What people install packages with: where the program of a release is in its package, and how it is told to install. */
const managers = {
  'npm 10': { from: 'npm', file: 'bin/npm-cli.js', flags: ['--prefer-offline', '--ignore-scripts'] },
  'npm 11': { from: 'npm', file: 'bin/npm-cli.js', flags: ['--prefer-offline', '--ignore-scripts'] },
  'pnpm 10': { from: 'pnpm', file: 'bin/pnpm.cjs', flags: ['--prefer-offline', '--ignore-scripts'] },
  'yarn 4': { from: '@yarnpkg/cli-dist', file: 'bin/yarn.js', flags: [] },
}
type Manager = keyof typeof managers

/** Projects that an npm refused while the package named ranges of what it works with, and their neighbours. */
const projects = [
  '',
  ...['redis@3', 'redis@4', 'redis@5.0', 'fastify@3', 'fastify@4', 'prom-client@13', 'prom-client@14'],
  '@nestjs/common@8 rxjs@7 reflect-metadata@0.1',
  '@nestjs/common@9 rxjs@7 reflect-metadata@0.1',
  '@nestjs/common@10 rxjs@7 reflect-metadata@0.2',
  ...['hono@3', 'mariadb@2', 'mariadb@3.2', 'mysql2@2', 'pg@7', 'ioredis@4', 'ioredis@5.2', 'vitest@1'],
  ...['vitest@2', 'postgres@3.2', '@opentelemetry/api@1.4', 'libsql@0.3'],
  ['redis', 'fastify', 'prom-client', 'hono', 'mariadb', 'mysql2', 'pg', 'ioredis', 'postgres']
    .map((name) => `${name}@latest`)
    .join(' '),
]
/** The old releases that most people have. */
const old =
  'redis@4 fastify@4 prom-client@14 @nestjs/common@9 rxjs@7 reflect-metadata@0.1 hono@3 mariadb@3.2 vitest@2'

/** Import and require give one library; under Yarn's Plug'n'Play on Node 20, which cannot read an archive for both, their errors know each other. */
const USE = `
  import nodeModule from 'node:module'
  import { Holdfast, ClosedError } from 'holdfast'
  const required = nodeModule.createRequire(process.cwd() + '/')('holdfast')
  const apart = process.versions.pnp !== undefined && nodeModule.registerHooks === undefined
  console.log(apart ? new required.ClosedError() instanceof ClosedError : required.Holdfast === Holdfast)`

const packed = duringAll(pack, PATIENCE_MS)
/** How long each installation took. */
const outcomes: Record<string, Record<string, string>> = {}
afterAll(() => console.table(outcomes))

/** Has it installed in a project that depends on these too, and used there. */
async function expectUsable(name: Manager, beside = '', node = process.execPath): Promise<void> {
  const { from, file, flags } = managers[name]
  const packages = await fromNpm(join('package-managers', name.replace(' ', '-')), (draft) =>
    npm(draft, ['install', '--no-audit', '--no-fund', '--prefix', draft, `${from}@${name.split(' ')[1]}`]),
  )
  const program = join(packages, 'node_modules', from, file)
  const project = await Project.bare()
  onTestFinished(() => project.end())
  const start = async (...args: string[]): Promise<string> => {
    const options = { cwd: project.folder, env: environment(), timeout: PATIENCE_MS }
    const { stdout } = await promisify(execFile)(node, args, options).catch((error: unknown) => {
      throw new Error(`${Object(error).stdout}${Object(error).stderr}`)
    })
    return stdout.trim()
  }
  const releases = beside.split(' ').filter((each) => each !== '')
  const dependencies = releases.map((each) => /^(.+)@(.+)$/.exec(each)?.slice(1) ?? [])
  await project.dependOn(packed.file, Object.fromEntries(dependencies))
  const yarn = name === 'yarn 4'
  // Yarn takes a folder for a project of its own that has this file.
  if (yarn) await writeFile(project.path('yarn.lock'), '')
  await start(program, 'install', ...flags)
  // Yarn keeps packages in archives, which Node reads with its help only.
  expect(await start(...(yarn ? [program, 'node'] : []), '--input-type=module', '-e', USE)).toBe('true')
}

/** As of a user at a terminal: in a CI, and below an npm that runs this, package managers have other settings. */
function environment(): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !/^(npm_|CI$|NODE_ENV$)/i.test(name))
  return { ...Object.fromEntries(own), YARN_ENABLE_TELEMETRY: '0', YARN_ENABLE_SCRIPTS: '0' }
}

describe.each<Manager>(exhaustive ? ['npm 10', 'npm 11', 'pnpm 10', 'yarn 4'] : ['npm 11'])('%s', (name) => {
  test.each(exhaustive ? projects : ['', old])(
    'installs it beside [%s], where it works',
    { timeout: PATIENCE_MS },
    async (beside) => {
      const from = performance.now()
      await expectUsable(name, beside)
      outcomes[beside] = { ...outcomes[beside], [name]: `${(performance.now() - from) / 1_000} s` }
    },
  )
})

test.each([20, 22, 24])(
  'under Yarn’s Plug’n’Play, with Node %i, import and require give one library',
  { timeout: PATIENCE_MS },
  async (major) => expectUsable('yarn 4', '', (await provideNode(major)).program),
)
