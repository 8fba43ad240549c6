/** What is said to who has packages that are too old for what is used, and what works with those that are just old. */
import { writeFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { duringAll } from '../setup/during.js'
import { install, PATIENCE_MS, pack } from './packed.js'
import { Project } from './project.js'

const NEST = '@nestjs/common@8 rxjs@7 reflect-metadata@0.1'
const OLD = `${NEST} @opentelemetry/api@1.2 prom-client@12 pg@8.10.0 fastify@4`.split(' ')
const CLIENT = "new (await import('holdfast')).Holdfast(new (await import('holdfast/memory')).MemoryStore())"
const project = duringAll(async () => {
  const packed = await pack()
  const made = await Project.bare()
  await writeFile(made.path('package.json'), '{ "name": "consumer", "private": true }')
  await install(made.folder, [packed.file, ...OLD])
  await packed.end()
  return made
}, PATIENCE_MS)

const printed = (script: string): Promise<string> =>
  project.node(['--input-type=module', '-e', `${script}\nprocess.exit()`])

test.each([
  ["await import('holdfast/nestjs')", '@nestjs/common 8.4.7', '9.0'],
  ["require('holdfast/nestjs')", '@nestjs/common 8.4.7', '9.0'],
  [`(await import('holdfast/otel')).instrument(${CLIENT})`, '@opentelemetry/api 1.2.0', '1.9'],
  [`(await import('holdfast/prometheus')).expose(${CLIENT})`, 'prom-client 12.0.0', '13.0'],
])('%s: names the release that is there, %s, and the one that is needed', async (script, there, needed) => {
  expect(await refusalOf(script)).toContain(
    `${there} is installed, which is too old; accepted: ${needed} or later.`,
  )
})

test('a pool of an old pg: names both, too', async () =>
  expect(await refusalOf("(await import('holdfast/postgres')).postgres({})")).toContain(
    'a Pool of the package pg 8.11 or later (8.10.0 is installed)',
  ))

async function refusalOf(script: string): Promise<string> {
  const said = await printed(`const require = (await import('node:module')).createRequire(process.cwd() + '/')
    try {\n${script}\n} catch (error) { console.log(error.name + ': ' + error.message) }`)
  expect(said).toContain('InvalidArgumentError: ')
  return said
}

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
  expect(said).toBe('free\n423')
})
