/** Who can install the package: beside old and new releases of what it works with, by every package manager. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { beforeAll, describe, expect, test } from 'vitest'
import { packageManagers, providePackageManager } from './package-manager.js'
import { type Packed, pack } from './packed.js'

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

/** Import and require give one library; under Yarn's Plug'n'Play, which resolves the two by other rules, their errors know each other. */
const USE = `
  import { createRequire } from 'node:module'
  import { Holdfast, ClosedError } from 'holdfast'
  const required = createRequire(process.cwd() + '/')('holdfast')
  const one = process.versions.pnp === undefined ? required.Holdfast === Holdfast : new required.ClosedError() instanceof ClosedError
  console.log(one)`

let packed: Packed & AsyncDisposable

beforeAll(async () => {
  packed = await pack()
  return () => packed[Symbol.asyncDispose]()
}, PATIENCE_MS)

describe.each(exhaustive ? packageManagers : (['npm 11'] as const))('%s', (name) => {
  test.each(
    exhaustive
      ? projects
      : ([
          ['nothing else', {}],
          ['the old releases that most people have', allOld],
        ] as const),
  )('installs it beside %s, where it works', { timeout: PATIENCE_MS }, async (_, dependencies) => {
    const manager = await providePackageManager(name)
    const folder = await mkdtemp(join(tmpdir(), 'holdfast-install-'))
    try {
      const manifest = {
        name: 'consumer',
        private: true,
        dependencies: { ...dependencies, holdfast: `file:${packed.file}` },
      }
      await writeFile(join(folder, 'package.json'), JSON.stringify(manifest))
      await manager.install(folder).catch((error: unknown) => {
        throw new Error(`${Object(error).stdout}${Object(error).stderr}`)
      })
      expect(await manager.node(folder, ['--input-type=module', '-e', USE])).toBe('true')
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })
})
