/** A real Fastify with the plugin, its locks in memory, in Redis and behind a proxy that hangs. */
import Fastify, { type FastifyInstance } from 'fastify'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
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
): Promise<{
  app: FastifyInstance
  logged: string[]
  settle: (
    id: string,
    prefix?: string,
  ) => Promise<{ status: number; text: string; retryAfter: string | null }>
}> {
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
    return {
      status: response.status,
      text: await response.text(),
      retryAfter: response.headers.get('retry-after'),
    }
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
      expect(JSON.parse(text)).toEqual({
        statusCode: 423,
        code: 'LOCK_TIMEOUT',
        error: 'Locked',
        message: expect.any(String),
      })
      for (const hidden of [id, owner]) expect(text).not.toContain(hidden)
      expect(logged.join()).toContain(id)
    })
  })

  test('when the application closes, a running section ends and releases its lock; what comes later is refused', async () => {
    const store = open()
    const { app } = await start(store, { drainMs: 20_000 })
    const other = new Holdfast(store)
    const name = `report:${crypto.randomUUID()}`
    const begun = new Promise((resolve) => app.holdfast.once('acquired', resolve))
    let end = (): void => undefined
    const work = app.holdfast.lock(name).withLock(() => new Promise<void>((resolve) => (end = resolve)))
    await begun
    const closing = app.close()
    await expect
      .poll(() =>
        app.holdfast
          .lock('any')
          .withLock(() => 'free')
          .catch(String),
      )
      .toContain('ClosedError')
    end()
    await work
    await closing
    expect(await other.lock(name).tryAcquire()).not.toBeNull()
    await other.close()
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
  const plain = await start(new MemoryStore())
  expect(await plain.settle('1', 'broken')).toMatchObject({
    status: 500,
    text: expect.stringContaining('of the application'),
  })
})

test('answersErrors: false leaves errors to the application, which can answer them likewise', async () => {
  const { app, settle } = await start(new MemoryStore(), { answersErrors: false }, (app) => {
    app.setErrorHandler((error, _request, reply) =>
      reply.code(httpAnswer(error)?.statusCode ?? 418).send('mine'),
    )
  })
  expect(await settle('1', 'broken')).toMatchObject({ status: 418, text: 'mine' })
  await app.holdfast.lock('invoice:1').withLock(async () => {
    expect(await settle('1')).toMatchObject({ status: 423, text: 'mine' })
  })
})

test('two plugins, or options that are none, are refused when the application starts', async () => {
  const app = Fastify()
  onTestFinished(() => app.close())
  await app.register(fastifyHoldfast, { store: new MemoryStore() })
  const again = app.register(fastifyHoldfast, { store: new MemoryStore() })
  await expect(Promise.resolve(again)).rejects.toThrow(/holdfast/)
  const wrong: object = { store: new MemoryStore(), drainMS: 5 }
  const other = Fastify()
  onTestFinished(() => other.close())
  await expect(
    Promise.resolve(Reflect.apply(other.register, other, [fastifyHoldfast, wrong])),
  ).rejects.toThrow(/drainMS/)
})

test('Fastify 4 takes the plugin, too', () => {
  expect(Reflect.get(fastifyHoldfast, Symbol.for('plugin-meta'))).toEqual({
    name: 'holdfast',
    fastify: '4.x || 5.x',
  })
})
