/** A real application of Nest, served on a port, with its locks in memory and in Redis. */
import type { ArgumentsHost, DynamicModule, INestApplication } from '@nestjs/common'
import { type AbstractHttpAdapter, APP_FILTER } from '@nestjs/core'
import { ExpressAdapter } from '@nestjs/platform-express'
import { FastifyAdapter } from '@nestjs/platform-fastify'
import { Test } from '@nestjs/testing'
import { afterEach, describe, expect, inject, onTestFinished, test, vi } from 'vitest'
import { Latch } from '../../src/conformance/latch.js'
import {
  Holdfast,
  HoldfastError,
  InvalidArgumentError,
  LockTimeoutError,
  type RedisClient,
  type Store,
} from '../../src/index.js'
import {
  HoldfastHealthIndicator,
  HoldfastModule,
  Lock,
  LockFilter,
} from '../../src/integrations/nestjs/index.js'
import { MemoryStore } from '../../src/stores/memory/index.js'
import { RespProxy } from '../fault/proxy.js'
import { standaloneClient } from '../setup/clients.js'
import { later } from '../setup/later.js'
import { Invoices, InvoicesModule, Journal } from './invoices.js'

afterEach(() => void vi.unstubAllEnvs())

const compile = (...imports: Array<DynamicModule | typeof InvoicesModule>) =>
  Test.createTestingModule({ imports }).compile()

async function start(
  imports: DynamicModule | DynamicModule[],
  adapter: AbstractHttpAdapter = new ExpressAdapter(),
): Promise<INestApplication> {
  const compiled = await compile(...[imports, InvoicesModule].flat())
  const application = compiled.createNestApplication(adapter, { logger: false })
  onTestFinished(() => application.close())
  await application.listen(0, '127.0.0.1')
  return application
}

/** With its locks there. */
const startWith = (store: RedisClient | Store, settings: { drainMs?: number } = {}) =>
  start(HoldfastModule.forRoot({ store, ...settings }))

async function ask(application: INestApplication, path: string, method = 'POST') {
  const response = await fetch(`${await application.getUrl()}${path}`, { method })
  const retryAfter = response.headers.get('retry-after')
  return { status: response.status, text: await response.text(), retryAfter }
}

/** Stops settlements until it is opened. */
function closeGate(journal: Journal) {
  const gate = new Latch()
  journal.gate = gate.opened
  return { begun: new Promise<void>((resolve) => journal.begun.push(resolve)), open: () => gate.open() }
}

describe.each([
  ['memory', () => new MemoryStore()],
  [
    'Redis',
    () => standaloneClient({ ...inject('servers').standalone, keyPrefix: `${crypto.randomUUID()}:` }),
  ],
] as const)('an application with its locks in %s', (_place, open) => {
  test('@Lock: requests for one invoice take turns in two instances, and the lock is free afterwards', async () => {
    const store = open()
    const [one, two] = [await startWith(store), await startWith(store)]
    const [first, second] = [one.get(Journal), two.get(Journal)]
    const id = crypto.randomUUID()
    const gate = closeGate(first)
    const waiting = new Promise((resolve) => two.get(Holdfast).once('waiting', resolve))
    const here = ask(one, `/invoices/${id}`)
    await gate.begun
    const there = ask(two, `/invoices/${id}`)
    await waiting
    expect(second.settlements).toEqual([])
    gate.open()
    for (const answer of [here, there])
      expect(await answer).toMatchObject({ status: 201, text: `invoice:${id} settled` })
    expect(second.settlements).toEqual([`settle ${id}`, `settled ${id}`])
    expect(await one.get(Holdfast).lock(`invoice:${id}`).isLocked()).toBe(false)
  })

  test('@Lock: re-enters, and goes on a handler of a controller', async () => {
    const application = await startWith(open())
    const id = crypto.randomUUID()
    const settled = `invoice:${id} settled`
    expect(await application.get(Invoices).settleTwice({ id })).toEqual([settled, settled])
    const locked = { status: 201, text: '{"locked":true}' }
    expect(await ask(application, `/invoices/${id}/direct`)).toMatchObject(locked)
    const lock = application.get(Holdfast).lock(`invoice:${id}`)
    const refused = { status: 500, text: expect.not.stringContaining(id) }
    await lock.withLock(async () => {
      expect(await ask(application, `/invoices/${id}/direct`)).toMatchObject(refused)
    })
  })

  test.each([
    ['Express', () => new ExpressAdapter()],
    ['Fastify', () => new FastifyAdapter()],
  ])(
    'users 7: on %s LockFilter answers 423 where a lock is in use, and leaves other errors to Nest',
    async (_, adapter) => {
      class Answers {}
      const answers = { module: Answers, providers: [{ provide: APP_FILTER, useClass: LockFilter }] }
      const application = await start([HoldfastModule.forRoot({ store: open() }), answers], adapter())
      const id = crypto.randomUUID()
      const lock = application.get(Holdfast).lock(`invoice:${id}`)
      await lock.withLock(async () => {
        const { status, text, retryAfter } = await ask(application, `/invoices/${id}/direct`)
        expect({ status, retryAfter }).toEqual({ status: 423, retryAfter: '1' })
        expect(JSON.parse(text)).toMatchObject({ statusCode: 423, code: 'LOCK_TIMEOUT' })
        expect(text).not.toContain(id)
      })
      expect((await ask(application, `/invoices/${id}/direct`)).status).toBe(201)
      expect((await ask(application, '/nowhere')).status).toBe(404)
    },
  )

  test('@ScheduledLock: of two instances whose @Cron fires, one runs the method, in either order of the decorators', async () => {
    const store = open()
    const module = HoldfastModule.forRootAsync({ useFactory: () => ({ store }) })
    const [one, two] = [await start(module), await start(module)]
    const lines = (): string[] => [...one.get(Journal).reports, ...two.get(Journal).reports].sort()
    const firings = (instance: INestApplication): number => {
      const { acquired, timedOut } = instance.get(Holdfast).metrics()
      return acquired + timedOut
    }
    // Both have fired each of the two twice.
    for (const instance of [one, two]) await expect.poll(() => firings(instance)).toBeGreaterThanOrEqual(4)
    expect(lines()).toEqual(['above report:above', 'below report:below'])
  })

  test('when the application closes, a running section ends, releases its lock, and nobody waits for a lease', async () => {
    const store = open()
    const application = await startWith(store, { drainMs: 20_000 })
    await using other = new Holdfast(store)
    const journal = application.get(Journal)
    const id = crypto.randomUUID()
    const gate = closeGate(journal)
    // Not a request, for whose end Nest waits anyway.
    const work = application.get(Invoices).settle({ id })
    await gate.begun
    const closing = application.close()
    const any = application.get(Holdfast).lock('any')
    await expect.poll(() => any.withLock(() => 'free').catch(String)).toContain('ClosedError')
    gate.open()
    expect(await work).toBe(`invoice:${id} settled`)
    await closing
    expect(await other.lock(`invoice:${id}`).tryAcquire()).not.toBeNull()
  })
})

test('drainMs bounds the wait for a section that does not end: its signal aborts', async () => {
  const application = await startWith(new MemoryStore(), { drainMs: 50 })
  const lock = application.get(Holdfast).lock('endless')
  const aborted = lock.withLock(async ({ signal }) => {
    await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  })
  const outcome = later(expect(aborted).rejects.toMatchObject({ code: 'CLOSED' }))
  await expect.poll(() => lock.isLocked()).toBe(true)
  await application.close()
  await outcome
})

test('the health indicator says down, and neither where nor why in detail, when Redis hangs, refuses or is closed', async () => {
  const proxy = await RespProxy.before(inject('servers').standalone)
  const application = await startWith(standaloneClient({ host: proxy.host, port: proxy.port }))
  const indicator = application.get(HoldfastHealthIndicator)
  expect(await indicator.check('locks', 10_000)).toEqual({ locks: { status: 'up' } })
  const up = { status: 'ok', info: { locks: { status: 'up' } } }
  expect(JSON.parse((await ask(application, '/health', 'GET')).text)).toMatchObject(up)
  proxy.blackHole()
  const { status, text } = await ask(application, '/health', 'GET')
  expect(status).toBe(503)
  expect(JSON.parse(text)).toMatchObject({ error: { locks: { status: 'down', reason: 'timeout' } } })
  expect(text).not.toContain(String(proxy.port))
  await proxy.stop()
  await application.close()
  expect(await indicator.check()).toEqual({ holdfast: { status: 'down', reason: 'closed' } })
})

test('a class with a @Lock in an application without the module: Nest says what is missing', () =>
  expect(compile(InvoicesModule)).rejects.toThrow(/HoldfastModule\.forRoot\(\)/))

test('an object that Nest has not made: the error says so', async () => {
  const lost = new Invoices(new Journal()).settle({ id: '1' })
  await expect(lost).rejects.toBeInstanceOf(InvalidArgumentError)
  await expect(lost).rejects.toThrow(/an object that Nest has made/)
})

test('isGlobal: false keeps the client to the modules that import it', async () => {
  const local = HoldfastModule.forRoot({ store: new MemoryStore(), isGlobal: false })
  await expect(compile(local, InvoicesModule)).rejects.toThrow(/Holdfast/)
})

test('overrideProvider puts another client in the place of the module’s', async () => {
  await using mine = new Holdfast(new MemoryStore())
  const module = HoldfastModule.forRoot({ store: standaloneClient({ host: '127.0.0.1', port: 1 }) })
  const compiled = await Test.createTestingModule({ imports: [module, InvoicesModule] })
    .overrideProvider(Holdfast)
    .useValue(mine)
    .compile()
  expect(await compiled.get(Invoices).settle({ id: '1' })).toBe('invoice:1 settled')
  expect(mine.metrics().acquired).toBe(1)
})

test('users 6: without settings locks are where HOLDFAST_URL says', async () => {
  vi.stubEnv('HOLDFAST_URL', inject('servers').standalone.url)
  const application = await start(HoldfastModule.forRoot())
  const id = crypto.randomUUID()
  await using other = new Holdfast(standaloneClient(inject('servers').standalone))
  const lock = application.get(Holdfast).lock(id)
  await lock.withLock(async () => expect(await other.lock(id).isLocked()).toBe(true))
})

test.each([
  ['users 6: an undefined store', { store: undefined }, /^store is undefined; accepted: a client or a store/],
  ['a setting that there is none of', { store: new MemoryStore(), drainMS: 5 }, /drainMS/],
  ['no object', null, /^options is null/],
  ['a text for a boolean', { store: new MemoryStore(), isGlobal: 'no' }, /^isGlobal is a string/],
])('%s is refused when the application starts', async (_, settings, says) => {
  const start = async () => compile(Reflect.apply(HoldfastModule.forRoot, HoldfastModule, [settings]))
  await expect(start()).rejects.toThrow(says)
})

test('a decorator that is not on a method, or is told no terms, is refused at once', () => {
  expect(() => Reflect.apply(Lock('a'), undefined, [{}, 'pay', undefined])).toThrow(/experimentalDecorators/)
  expect(() => Lock('{0.}')).toThrow(InvalidArgumentError)
  expect(() => Lock('a', { waitMs: -1 })).toThrow(InvalidArgumentError)
})

test('users 7: what is no request over HTTP is passed on', () => {
  const host: unknown = { getType: () => 'rpc' }
  const isHost = (it: unknown): it is ArgumentsHost => it === host
  if (!isHost(host)) throw new TypeError()
  expect(() => new LockFilter().catch(new LockTimeoutError('secret', 100, {}), host)).toThrow(HoldfastError)
})
