/** What is said to who has packages that are too old for what is used, and what works with those that are just old. */
import { writeFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { duringAll } from '../setup/during.js'
import { install, PATIENCE_MS, pack } from './packed.js'
import { Project } from './project.js'

const NEST = '@nestjs/common@8 rxjs@7 reflect-metadata@0.1'
const OLD = `${NEST} @opentelemetry/api@1.2 prom-client@12 pg@8.10.0 fastify@4`.split(' ')
const CLIENT = "new (await import('holdfast')).Holdfast(new (await import('holdfast/memory')).MemoryStore())"
const packed = duringAll(pack, PATIENCE_MS)
const withPeers = (peers: readonly string[]) =>
  duringAll(async () => {
    const made = await Project.bare()
    await writeFile(made.path('package.json'), '{ "name": "consumer", "private": true }')
    await install(made.folder, [packed.file, ...peers])
    return made
  }, PATIENCE_MS)
const project = withPeers(OLD)
const withNest9 = withPeers(
  '@nestjs/common@9 @nestjs/core@9 @nestjs/platform-express@9 rxjs@7 reflect-metadata@0.1 redis@4 vitest@2'.split(
    ' ',
  ),
)

const printed = (script: string, by = project): Promise<string> =>
  by.node(['--input-type=module', '-e', `${script}\nprocess.exit()`])

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

test('Nest 9, beside redis 4 and vitest 2: @Lock holds the lock, and LockFilter answers 423 where it is in use', async () => {
  const said = await printed(
    `import 'reflect-metadata'
    import { Controller, Get, Module } from '@nestjs/common'
    import { APP_FILTER, NestFactory } from '@nestjs/core'
    import { Holdfast } from 'holdfast'
    import { MemoryStore } from 'holdfast/memory'
    import { HoldfastModule, Lock, LockFilter } from 'holdfast/nestjs'
    class Invoices { async settle() { return 'settled' } }
    const method = Object.getOwnPropertyDescriptor(Invoices.prototype, 'settle')
    for (const decorate of [Lock('invoice', { waitMs: 0 }), Get()]) decorate(Invoices.prototype, 'settle', method)
    Object.defineProperty(Invoices.prototype, 'settle', method)
    Controller()(Invoices)
    class App {}
    Module({
      imports: [HoldfastModule.forRoot({ store: new MemoryStore() })],
      controllers: [Invoices],
      providers: [{ provide: APP_FILTER, useClass: LockFilter }],
    })(App)
    const app = await NestFactory.create(App, { logger: false })
    await app.listen(0, '127.0.0.1')
    const answer = async () => {
      const response = await fetch(await app.getUrl())
      return response.status + ' ' + (await response.text()).slice(0, 20)
    }
    console.log(await answer())
    const hold = await app.get(Holdfast).lock('invoice').acquire()
    console.log(await answer())
    await hold.release()
    await app.close()`,
    withNest9,
  )
  expect(said).toBe('200 settled\n423 {"statusCode":423,"c')
})
