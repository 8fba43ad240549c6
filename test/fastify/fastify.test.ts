/** A real Fastify with the plugin, its locks in memory, in Redis and behind a proxy that hangs. */
import Fastify, { type FastifyInstance } from 'fastify'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { Latch } from '../../src/conformance/latch.js'
import { Holdfast, httpAnswer, type RedisClient, type Store } from '../../src/index.js'
import { fastifyHoldfast } from '../../src/integrations/fastify/index.js'
import { MemoryStore } from '../../src/stores/memory/index.js'
import { RespProxy } from '../fault/proxy.js'
import { standaloneClient } from '../setup/clients.js'

/** An application that settles invoices; what it logs is kept. */
async function start(
  store: RedisClient | Store,
  options = {},
  before: (app: FastifyInstance) => void = () => undefined,
) {
  const logged: string[] = []
  const app = Fastify({ logger: { level: 'info', stream: { write: (line: string) => logged.push(line) } } })
  onTestFinished(() => app.close())
  before(app)
  await app.register(fastifyHoldfast, { store, ...options })
  // A context of its own, as routes usually are.
  await app.register(async (routes) => {
    routes.post<{ Params: { id: string } }>('/invoices/:id', ({ params }) =>
      routes.holdfast.lock(`invoice:${params.id}`).withLock({ waitMs: 1_000 }, () => 'settled'),
    )
    routes.post('/broken/:id', () => {
      throw new Error('of the application')
    })
  })
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  const settle = async (id: string, prefix = 'invoices') => {
    const response = await fetch(`${url}/${prefix}/${id}`, { method: 'POST' })
    const retryAfter = response.headers.get('retry-after')
    return { status: response.status, text: await response.text(), retryAfter }
  }
  return { app, logged, settle }
}

describe.each([
  ['memory', () => new MemoryStore()],
  ['Redis', () => standaloneClient(inject('servers').standalone)],
] as const)('with its locks in %s', (_place, open) => {
  test('a lock that is not to be had is 423, without names and ids, which are in the log', async () => {
    const { app, settle, logged } = await start(open())
    const id = crypto.randomUUID()
    expect(await settle(id)).toEqual({ status: 200, text: 'settled', retryAfter: null })
    await app.holdfast.lock(`invoice:${id}`).withLock(async ({ owner }) => {
      const { status, text, retryAfter } = await settle(id)
      expect({ status, retryAfter }).toEqual({ status: 423, retryAfter: '1' })
      const error = { statusCode: 423, code: 'LOCK_TIMEOUT', error: 'Locked', message: expect.any(String) }
      expect(JSON.parse(text)).toEqual(error)
      for (const hidden of [id, owner]) expect(text).not.toContain(hidden)
      expect(logged.join()).toContain(id)
    })
  })

  test('when the application closes, a running section ends and releases its lock; what comes later is refused', async () => {
    const store = open()
    const { app } = await start(store, { drainMs: 20_000 })
    await using other = new Holdfast(store)
    const name = `report:${crypto.randomUUID()}`
    const begun = new Promise((resolve) => app.holdfast.once('acquired', resolve))
    const end = new Latch()
    const work = app.holdfast.lock(name).withLock(() => end.opened)
    await begun
    const closing = app.close()
    const any = app.holdfast.lock('any')
    await expect.poll(() => any.withLock(() => 'free').catch(String)).toContain('ClosedError')
    end.open()
    await work
    await closing
    expect(await other.lock(name).tryAcquire()).not.toBeNull()
  })
})

test('a store that is down is 503, without its address', async () => {
  const proxy = await RespProxy.before(inject('servers').standalone)
  const store = standaloneClient({ host: proxy.host, port: proxy.port })
  const { settle } = await start(store, { storeTimeoutMs: 500 })
  expect(await settle('1')).toMatchObject({ status: 200 })
  await proxy.stop()
  const { status, text, retryAfter } = await settle('1')
  expect({ status, retryAfter }).toEqual({ status: 503, retryAfter: '1' })
  for (const hidden of ['invoice', proxy.host, String(proxy.port)]) expect(text).not.toContain(hidden)
})

test('errors that are not of Holdfast go to Fastify’s handler', async () => {
  const { settle } = await start(new MemoryStore())
  const failed = { status: 500, text: expect.stringContaining('of the application') }
  expect(await settle('1', 'broken')).toMatchObject(failed)
})

test('answersErrors: false leaves errors to the application, which can answer them likewise', async () => {
  const { app, settle } = await start(new MemoryStore(), { answersErrors: false }, (each) => {
    each.setErrorHandler((error, _, reply) => reply.code(httpAnswer(error)?.statusCode ?? 418).send('mine'))
  })
  expect(await settle('1', 'broken')).toMatchObject({ status: 418, text: 'mine' })
  await app.holdfast.lock('invoice:1').withLock(async () => {
    expect(await settle('1')).toMatchObject({ status: 423, text: 'mine' })
  })
})

test('two plugins, or options that are none, are refused when the application starts', async () => {
  const again = start(new MemoryStore(), {}, (app) => {
    void app.register(fastifyHoldfast, { store: new MemoryStore() })
  })
  await expect(again).rejects.toThrow(/holdfast/)
  await expect(start(new MemoryStore(), { drainMS: 5 })).rejects.toThrow(/drainMS/)
  await expect(start(new MemoryStore(), Object({ answersErrors: 'no' }))).rejects.toThrow(/^answersErrors is/)
})

test('Fastify 4 takes the plugin, too', () => {
  expect(Reflect.get(fastifyHoldfast, Symbol.for('plugin-meta'))).toEqual({
    name: 'holdfast',
    fastify: '4.x || 5.x',
  })
})
