/** What is said to who has packages that are too old for what is used, and what works with those that are just old. */
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { promisify } from 'node:util'
import { beforeAll, expect, test } from 'vitest'
import { npm, pack } from './packed.js'

const PATIENCE_MS = 400_000
const OLD = [
  '@nestjs/common@8',
  'rxjs@7',
  'reflect-metadata@0.1',
  '@opentelemetry/api@1.2',
  'prom-client@12',
  'pg@8.10.0',
  'fastify@4',
]
const CLIENT = "new (await import('holdfast')).Holdfast(new (await import('holdfast/memory')).MemoryStore())"
let folder: string

beforeAll(async () => {
  await using packed = await pack()
  folder = await mkdtemp(join(tmpdir(), 'holdfast-peers-'))
  await writeFile(join(folder, 'package.json'), '{ "name": "consumer", "private": true }')
  await npm(folder, ['install', packed.file, ...OLD, '--no-audit', '--no-fund', '--ignore-scripts'])
  return () => rm(folder, { recursive: true, force: true })
}, PATIENCE_MS)

test.each([
  [
    "await import('holdfast/nestjs')",
    '@nestjs/common 8.4.7 is installed, which is too old; accepted: 9.0 or later.',
  ],
  [
    "require('holdfast/nestjs')",
    '@nestjs/common 8.4.7 is installed, which is too old; accepted: 9.0 or later.',
  ],
  [
    `(await import('holdfast/otel')).instrument(${CLIENT})`,
    '@opentelemetry/api 1.2.0 is installed, which is too old; accepted: 1.9 or later.',
  ],
  [
    `(await import('holdfast/prometheus')).expose(${CLIENT})`,
    'prom-client 12.0.0 is installed, which is too old; accepted: 13.0 or later.',
  ],
  [
    "(await import('holdfast/postgres')).postgres({})",
    'a Pool of the package pg 8.11 or later (8.10.0 is installed)',
  ],
])('%s: names the release that is there and the one that is needed', async (script, text) => {
  const said = await printed(`const require = (await import('node:module')).createRequire(process.cwd() + '/')
    try {\n${script}\n} catch (error) { console.log(error.name + ': ' + error.message) }`)
  expect(said).toContain('InvalidArgumentError: ')
  expect(said).toContain(text)
})

test('Fastify 4: the plugin answers 423 where a lock is in use', async () => {
  const said = await printed(`
    const app = (await import('fastify')).default()
    const { MemoryStore } = await import('holdfast/memory')
    await app.register((await import('holdfast/fastify')).fastifyHoldfast, { store: new MemoryStore() })
    app.get('/', () => app.holdfast.lock('a').withLock({ waitMs: 0 }, () => 'free'))
    console.log((await app.inject('/')).body)
    const hold = await app.holdfast.lock('a').acquire()
    console.log((await app.inject('/')).statusCode)
    await hold.release()
    await app.close()`)
  expect(said).toBe('free\n423\n')
})

async function printed(script: string): Promise<string> {
  const args = ['--input-type=module', '-e', `${script}\nprocess.exit()`]
  return (await promisify(execFile)(process.execPath, args, { cwd: folder })).stdout
}
