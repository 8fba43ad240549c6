import type { Context, MiddlewareHandler } from 'hono'
import { bearerAuth } from 'hono/bearer-auth'
import { bodyLimit } from 'hono/body-limit'
import { csrf } from 'hono/csrf'
import { secureHeaders } from 'hono/secure-headers'
import { streamSSE } from 'hono/streaming'
import { Hono } from 'hono/tiny'
import { CliError } from '../failure.js'
import { jsonText } from '../json-text.js'
import { type Bindings, lastPartOf, mountOf } from './address.js'
import type { PageFile } from './page-files.js'
import { type Message, type Pictures, type Subject, sorts } from './picture.js'
import { isLoopback } from './ui-options.js'
import type { Unlocker } from './unlocker.js'

/** So many pages at a time. */
const MOST_PAGES = 100
/** A text that is looked for, or a name, in the address of a page. */
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
  /**
   * Who may see it: whoever opens it on this machine, whoever has the token, or whom the application lets through that it is mounted in.
   */
  readonly access: 'this machine' | 'the application’s' | { readonly token: string }
  /** Frees locks, where that is allowed. */
  readonly unlocker: Unlocker | undefined
}

export type App = Hono<{ Bindings: Bindings }>
type Asked = Context<{ Bindings: Bindings }>

/**
 * What answers to browsers, wherever it is mounted: it looks at the last part of a path alone. It keeps nothing of them: a page brings its
 * token with each request, and the address bar never has it.
 */
export function appOf(terms: AppTerms): App {
  const { told, files, access, unlocker } = terms
  const app: App = new Hono({ getPath: lastPartOf })
  app.use(headers, async (c, next) => {
    await next()
    // A proxy that gathers, or compresses, what it passes on would hold back what is live.
    c.header('Cache-Control', 'no-store, no-transform')
  })
  // A name that an attacker makes lead to this machine is still the attacker's origin.
  if (access === 'this machine') app.use(onlyForThisMachine)
  const known: MiddlewareHandler =
    typeof access === 'object' ? bearerAuth({ token: access.token }) : (_c, next) => next()

  for (const [path, { type, body }] of files)
    app.get(path, (c) => c.body(body, 200, { 'Content-Type': type }))

  app.get('/events', known, (c) => events(c, terms))

  if (unlocker) {
    app.post('/unlock', known, csrf(), bodyLimit({ maxSize: LARGEST_BODY }), async (c) => {
      const { name, kind, holders } = (await formOf(c)) ?? {}
      if (typeof name !== 'string' || typeof kind !== 'string' || typeof holders !== 'string')
        return c.text('The name, the kind and the holders are missing.', 400)
      return c.text(await unlocker.free(name, kind, holders))
    })
  }

  // Without the slash behind it, what the page loads would be looked for beside the place where it is mounted.
  app.get('/:rest', (c) => {
    const mount = mountOf(c.req.raw, c.env)
    return mount === undefined ? c.notFound() : c.redirect(mount, 302)
  })

  app.onError((error, c) => {
    if ('getResponse' in error) return error.getResponse()
    return c.text(told(error), error instanceof CliError ? 409 : 502)
  })
  return app
}

function events(c: Asked, { looker, server, unlocker }: AppTerms): Response | Promise<Response> {
  const subject = subjectOf(c)
  if (subject === undefined) return c.text('The name is empty, or it or the filter is too long.', 400)
  // Hono answers HEAD as GET, without a reader: it would wait for one for ever, and the store would be looked at for it.
  if (c.req.method === 'HEAD') return c.body(null, 200, { 'Content-Type': 'text/event-stream' })
  if (looker.pages >= MOST_PAGES) return c.text('Too many pages are open.', 503)
  const after = Number(c.req.query('after')) || 0
  c.header('X-Accel-Buffering', 'no')
  return streamSSE(c, async (stream) => {
    const outgoing = c.env?.outgoing
    const gone = new AbortController()
    const leave = (): void => gone.abort()
    const left = new Promise((resolve) => gone.signal.addEventListener('abort', resolve))
    // However it ends: a page costs the store commands until it is left.
    stream.onAbort(leave)
    outgoing?.once('close', leave)
    c.req.raw.signal.addEventListener('abort', leave)
    if (outgoing?.destroyed || c.req.raw.signal.aborted) leave()
    let last = ''
    let sentAtMs = 0
    for await (const picture of looker.pictures(subject, after, gone.signal)) {
      const text = JSON.stringify(picture)
      const nowMs = performance.now()
      if (text === last && nowMs - sentAtMs < QUIET_MS) continue
      const message: Message = {
        ...picture,
        nowMs: Math.round(nowMs),
        now: Date.now(),
        server,
        mayUnlock: unlocker !== undefined,
      }
      const stuck = setTimeout(() => {
        outgoing?.destroy()
        leave()
      }, PATIENCE_MS)
      // Settles when the page takes it: what it does not read is not made.
      await Promise.race([stream.writeSSE({ data: jsonText(message) }), left])
      clearTimeout(stuck)
      last = JSON.stringify({ ...picture, changes: [] })
      sentAtMs = nowMs
    }
  })
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
  // Whether there is TLS is not known here.
  strictTransportSecurity: false,
})

const onlyForThisMachine: MiddlewareHandler = async (c, next) => {
  const { hostname } = new URL(c.req.url)
  return isLoopback(hostname) ? await next() : c.text('This page answers to localhost only.', 403)
}

/** What was sent by a form. An application's own parser may have read it before. */
async function formOf(c: Asked): Promise<Readonly<Record<string, unknown>> | undefined> {
  const { incoming } = c.env ?? {}
  const read: unknown = incoming && 'body' in incoming ? incoming.body : undefined
  if (typeof read === 'object' && read !== null && 'holders' in read) return { ...read }
  return await c.req.parseBody()
}

function subjectOf(c: Asked): Subject | undefined {
  const { name, filter = '', sort, page } = c.req.query()
  if (name === '' || (name ?? filter).length > LONGEST_SUBJECT) return undefined
  if (name !== undefined) return { name }
  return {
    filter,
    sort: sorts.find((each) => each === sort) ?? 'waiting',
    page: Math.max(0, Math.trunc(Number(page)) || 0),
  }
}
