import type { HttpBindings } from '@hono/node-server'
import { Hono, type MiddlewareHandler } from 'hono'
import { bearerAuth } from 'hono/bearer-auth'
import { bodyLimit } from 'hono/body-limit'
import { csrf } from 'hono/csrf'
import { secureHeaders } from 'hono/secure-headers'
import { streamSSE } from 'hono/streaming'
import { CliError } from '../failure.js'
import { jsonText } from '../json-text.js'
import type { PageFile } from './page-files.js'
import type { Message, Pictures, Subject } from './picture.js'
import { isLoopback } from './ui-options.js'
import type { Unlocker } from './unlocker.js'

/** So many pages at a time. */
const MOST_PAGES = 100
/** A pattern, or a name, in the address of a page. */
const LONGEST_SUBJECT = 1_000
const LARGEST_BODY = 16_384
/** A page that reads nothing for so long is no page any more, and one that is sent nothing would not know that of us. */
const PATIENCE_MS = 60_000
const QUIET_MS = 15_000

export interface AppTerms {
  readonly looker: Pictures
  /** What a failure is in words for people. */
  readonly told: (error: unknown) => string
  /** What the page shows of the server's address. */
  readonly server: string
  readonly files: ReadonlyMap<string, PageFile>
  readonly token: string | undefined
  /** Frees locks, where that is allowed. */
  readonly unlocker: Unlocker | undefined
}

type Env = { Bindings: HttpBindings }

/** What answers to browsers. It keeps nothing of them: a page brings its token with each request, and the address bar never has it. */
export function appOf({ looker, told, server, files, token, unlocker }: AppTerms): Hono<Env> {
  const app = new Hono<Env>()
  app.use(headers, async (c, next) => {
    await next()
    c.header('Cache-Control', 'no-store')
  })
  // A name that an attacker makes lead to this machine is still the attacker's origin.
  if (token === undefined) app.use(onlyForThisMachine)
  const known: MiddlewareHandler = token === undefined ? (_c, next) => next() : bearerAuth({ token })

  for (const [path, { type, body }] of files)
    app.get(path, (c) => c.body(body, 200, { 'Content-Type': type }))

  app.get('/events', known, (c) => {
    const subject = subjectOf(c.req.query('name'), c.req.query('filter'))
    if (subject === undefined) return c.text('This name, or filter, is too long.', 400)
    // Hono answers HEAD as GET, without a reader: it would wait for one for ever, and the store would be looked at for it.
    if (c.req.method === 'HEAD') return c.body(null, 200, { 'Content-Type': 'text/event-stream' })
    if (looker.pages >= MOST_PAGES) return c.text('Too many pages are open.', 503)
    const after = Number(c.req.query('after')) || 0
    return streamSSE(c, async (stream) => {
      const { outgoing } = c.env
      const gone = new AbortController()
      const leave = (): void => gone.abort()
      const left = new Promise((resolve) => gone.signal.addEventListener('abort', resolve))
      // However it ends: a page costs the store commands until it is left.
      stream.onAbort(leave)
      outgoing.once('close', leave)
      if (outgoing.destroyed) leave()
      let last = ''
      let sentAtMs = 0
      for await (const picture of looker.pictures(subject, after, gone.signal)) {
        const text = JSON.stringify(picture)
        const nowMs = performance.now()
        if (text === last && nowMs - sentAtMs < QUIET_MS) continue
        const message: Message = {
          ...picture,
          nowMs: Math.round(nowMs),
          server,
          mayUnlock: unlocker !== undefined,
        }
        const stuck = setTimeout(() => {
          outgoing.destroy()
          leave()
        }, PATIENCE_MS)
        // Settles when the page takes it: what it does not read is not made.
        await Promise.race([stream.writeSSE({ data: jsonText(message) }), left])
        clearTimeout(stuck)
        last = JSON.stringify({ ...picture, changes: [] })
        sentAtMs = nowMs
      }
    })
  })

  if (unlocker) {
    app.post('/unlock', known, csrf(), bodyLimit({ maxSize: LARGEST_BODY }), async (c) => {
      const { name, kind, holders } = await c.req.parseBody()
      if (typeof name !== 'string' || typeof kind !== 'string' || typeof holders !== 'string')
        return c.text('The name, the kind and the holders are missing.', 400)
      return c.text(await unlocker.free(name, kind, holders))
    })
  }

  app.onError((error, c) => {
    if ('getResponse' in error) return error.getResponse()
    return c.text(told(error), error instanceof CliError ? 409 : 502)
  })
  return app
}

const headers = secureHeaders({
  contentSecurityPolicy: {
    defaultSrc: ["'none'"],
    scriptSrc: ["'self'"],
    styleSrc: ["'self'"],
    imgSrc: ["'self'"],
    connectSrc: ["'self'"],
    baseUri: ["'none'"],
    formAction: ["'none'"],
    frameAncestors: ["'none'"],
    requireTrustedTypesFor: ["'script'"],
  },
  xFrameOptions: 'DENY',
  // There is no TLS here.
  strictTransportSecurity: false,
})

const onlyForThisMachine: MiddlewareHandler = async (c, next) => {
  const { hostname } = new URL(c.req.url)
  return isLoopback(hostname) ? await next() : c.text('This page answers to localhost only.', 403)
}

function subjectOf(name: string | undefined, filter = '*'): Subject | undefined {
  if (name === '' || (name ?? filter).length > LONGEST_SUBJECT) return undefined
  return name === undefined ? { filter: filter === '' ? '*' : filter } : { name }
}
