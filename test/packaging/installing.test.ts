/** Who can install the package: beside old and new releases of what it works with, by every package manager. */
import { writeFile } from 'node:fs/promises'
import process from 'node:process'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { provideNode } from '../matrix/node.js'
import { type PackageManager, packageManagers, providePackageManager } from './package-manager.js'
import { type Packed, pack } from './packed.js'
import { Project } from './project.js'

const PATIENCE_MS = 400_000
const exhaustive = process.env['HOLDFAST_EXHAUSTIVE'] === '1'

type Dependencies = Readonly<Record<string, string>>
const one = (name: string, version: string): [string, Dependencies] => [
  `${name} ${version}`,
  { [name]: version },
]

/** Projects that an npm refused while the package named ranges of what it works with, and their neighbours. */
const projects: ReadonlyArray<[string, Dependencies]> = [
  ['nothing else', {}],
  one('redis', '3'),
  one('redis', '4'),
  one('redis', '5.0'),
  one('fastify', '3'),
  one('fastify', '4'),
  one('prom-client', '13'),
  one('prom-client', '14'),
  ['@nestjs/common 8', { '@nestjs/common': '8', rxjs: '7', 'reflect-metadata': '0.1' }],
  ['@nestjs/common 9', { '@nestjs/common': '9', rxjs: '7', 'reflect-metadata': '0.1' }],
  ['@nestjs/common 10', { '@nestjs/common': '10', rxjs: '7', 'reflect-metadata': '0.2' }],
  one('hono', '3'),
  one('mariadb', '2'),
  one('mariadb', '3.2'),
  one('mysql2', '2'),
  one('pg', '7'),
  one('ioredis', '4'),
  one('ioredis', '5.2'),
  one('vitest', '1'),
  one('vitest', '2'),
  one('postgres', '3.2'),
  one('@opentelemetry/api', '1.4'),
  one('libsql', '0.3'),
  [
    'the newest of all',
    Object.fromEntries(
      ['redis', 'fastify', 'prom-client', 'hono', 'mariadb', 'mysql2', 'pg', 'ioredis', 'postgres'].map(
        (name) => [name, 'latest'],
      ),
    ),
  ],
]
const oldest = [
  'redis 4',
  'fastify 4',
  'prom-client 14',
  '@nestjs/common 9',
  'hono 3',
  'mariadb 3.2',
  'vitest 2',
]
const allOld = Object.assign(
  {},
  ...projects.filter(([name]) => oldest.includes(name)).map(([, each]) => each),
)

/** Import and require give one library; under Yarn's Plug'n'Play on Node 20, which cannot read an archive for both, their errors know each other. */
const USE = `
  import nodeModule from 'node:module'
  import { Holdfast, ClosedError } from 'holdfast'
  const required = nodeModule.createRequire(process.cwd() + '/')('holdfast')
  const apart = process.versions.pnp !== undefined && nodeModule.registerHooks === undefined
  console.log(apart ? new required.ClosedError() instanceof ClosedError : required.Holdfast === Holdfast)`

let packed: Packed & AsyncDisposable
/** What became of each installation: its seconds, or that it failed. */
const outcomes: Record<string, Record<string, string>> = {}

beforeAll(async () => {
  packed = await pack()
  return async () => {
    console.table(outcomes)
    await packed[Symbol.asyncDispose]()
  }
}, PATIENCE_MS)

/** Has it installed in a project that depends on these too. */
async function installed(manager: PackageManager, dependencies: Dependencies): Promise<Project> {
  const project = await Project.bare()
  const manifest = {
    name: 'consumer',
    private: true,
    dependencies: { ...dependencies, holdfast: `file:${packed.file}` },
  }
  await writeFile(project.path('package.json'), JSON.stringify(manifest))
  await manager.install(project.folder).catch(async (error: unknown) => {
    await project.remove()
    throw new Error(`${Object(error).stdout}${Object(error).stderr}`)
  })
  return project
}

describe.each(exhaustive ? packageManagers : (['npm 11'] as const))('%s', (name) => {
  test.each(
    exhaustive
      ? projects
      : ([
          ['nothing else', {}],
          ['the old releases that most people have', allOld],
        ] as const),
  )('installs it beside %s, where it works', { timeout: PATIENCE_MS }, async (beside, dependencies) => {
    const manager = await providePackageManager(name)
    const row: Record<string, string> = { ...outcomes[beside], [name]: 'failed' }
    outcomes[beside] = row
    const from = performance.now()
    const project = await installed(manager, dependencies)
    onTestFinished(() => project.remove())
    expect(await manager.node(project.folder, ['--input-type=module', '-e', USE])).toBe('true')
    row[name] = `${((performance.now() - from) / 1_000).toFixed(1)} s`
  })
})

test.each([20, 22, 24])(
  'under Yarn’s Plug’n’Play, with Node %i, import and require give one library',
  { timeout: PATIENCE_MS },
  async (major) => {
    const { program } = await provideNode(major)
    const manager = await providePackageManager('yarn 4', program)
    const project = await installed(manager, {})
    onTestFinished(() => project.remove())
    expect(await manager.node(project.folder, ['--input-type=module', '-e', USE])).toBe('true')
  },
)
