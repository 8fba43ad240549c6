/** Applications of four frameworks that have the page at /admin/locks, behind a login of their own, over a store in memory. */
import { once } from 'node:events'
import { type ServerType, serve } from '@hono/node-server'
import { Module } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import web, { type NextFunction, type Request, type Response } from 'express'
import Fastify from 'fastify'
import { Hono } from 'hono'
import { basicAuth } from 'hono/basic-auth'
import { onTestFinished, vi } from 'vitest'
import { type Ui, type UiOptions, ui } from '../../../src/cli/ui/index.js'
import { Holdfast, type Store } from '../../../src/index.js'
import { MemoryStore } from '../../../src/stores/memory/index.js'

export const LOGIN = { username: 'operator', password: 'correct-horse' }
export const AUTHORIZATION = `Basic ${btoa(`${LOGIN.username}:${LOGIN.password}`)}`
const asks = { 'WWW-Authenticate': 'Basic realm="admin"' }

interface Application {
  readonly origin: string
  close(): Promise<unknown>
}

function login({ headers }: Request, response: Response, next: NextFunction): void {
  if (headers.authorization === AUTHORIZATION) next()
  else response.status(401).set(asks).send('Who are you?')
}

export async function originOf(http: ServerType): Promise<string> {
  if (!http.listening) await once(http, 'listening')
  const address = http.address()
  return `http://localhost:${typeof address === 'object' && address ? address.port : 0}`
}

type Framework = readonly [name: string, start: (page: Ui) => Promise<Application>]

export const express: Framework = [
  'Express',
  async (page) => {
    const app = web()
    // Many applications read every body first.
    app.use(web.urlencoded({ extended: false }), web.json())
    app.use('/admin/locks', login, page.handler)
    app.get('/', (_, response) => void response.send('the shop'))
    const http = app.listen(0, 'localhost')
    return { origin: await originOf(http), close: () => ended(http) }
  },
]

export const frameworks: readonly Framework[] = [
  express,
  [
    'Fastify',
    async (page) => {
      const app = Fastify({ forceCloseConnections: true })
      await app.register(async (admin) => {
        admin.addHook('onRequest', async ({ headers }, reply) => {
          if (headers.authorization !== AUTHORIZATION)
            await reply.code(401).headers(asks).send('Who are you?')
        })
        await admin.register(page.fastify, { prefix: '/admin/locks' })
      })
      app.get('/', () => 'the shop')
      const origin = await app.listen({ port: 0, host: 'localhost' })
      return { origin: origin.replace(/\[::1\]|127\.0\.0\.1/, 'localhost'), close: () => app.close() }
    },
  ],
  [
    'Hono',
    async (page) => {
      const app = new Hono()
      app.use('/admin/*', basicAuth(LOGIN))
      app.all('/admin/locks/*', (c) => page.fetch(c.req.raw, c.env))
      app.get('/', (c) => c.text('the shop'))
      const http = serve({ fetch: app.fetch, hostname: 'localhost', port: 0 })
      return { origin: await originOf(http), close: () => ended(http) }
    },
  ],
  [
    'Nest',
    async (page) => {
      class Shop {}
      Module({})(Shop)
      const app = await NestFactory.create(Shop, { logger: false, forceCloseConnections: true })
      app.use('/admin/locks', login, page.handler)
      await app.listen(0, 'localhost')
      return { origin: await originOf(app.getHttpServer()), close: () => app.close() }
    },
  ],
]

async function ended(http: ServerType): Promise<void> {
  if ('closeAllConnections' in http) http.closeAllConnections()
  await new Promise((resolve) => http.close(resolve))
}

/** A page over a store in memory, a client of the same store, and how often the page has looked at a lock. */
export function pageOf(options: UiOptions = {}) {
  const memory = new MemoryStore()
  let looks = (): number => 0
  const spied: Store = {
    open(settings) {
      const session = memory.open(settings)
      const spy = vi.spyOn(session.lock, 'inspect')
      looks = () => spy.mock.calls.length
      return session
    },
  }
  const page = ui(spied, options)
  const holdfast = new Holdfast(memory, { label: 'web-1' })
  onTestFinished(async () => {
    await page.close()
    await holdfast.close()
  })
  return { page, holdfast, looks: () => looks() }
}

/** In a running application. */
export async function mounted([, start]: Framework, options?: UiOptions) {
  const { page, ...others } = pageOf(options)
  const { origin, close } = await start(page)
  onTestFinished(async () => void (await close()))
  return { origin, ...others }
}
