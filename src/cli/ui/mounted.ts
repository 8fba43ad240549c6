import type { IncomingMessage, ServerResponse } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import {
  checkBoolean,
  checkFunction,
  checkMethods,
  checkObject,
  invalidNumber,
  whole,
} from '../../base/checks/checks.js'
import { InvalidArgumentError } from '../../base/errors/errors.js'
import { isError } from '../../base/errors/is-error.js'
import { defaultStore } from '../../client/default-store.js'
import type { Store } from '../../port/store.js'
import { traitsOf } from '../../port/store-traits.js'
import { isClient, isCluster, type RedisClient } from '../../stores/redis/connection/client.js'
import type { Catalogue } from '../catalogue.js'
import { Family } from '../family.js'
import { RedisCatalogue } from '../redis/catalogue.js'
import { Keyspace } from '../redis/keyspace.js'
import { StoreCatalogue } from '../store-catalogue.js'
import type { Bindings } from './address.js'
import { appOf } from './app.js'
import { Looker } from './looker.js'
import { pageFiles } from './page-files.js'
import { Meter, type Metered } from './traffic.js'
import { LONGEST_HISTORY_MS } from './ui-options.js'
import { type Freed, Unlocker } from './unlocker.js'

/** Options of {@link ui}. */
export interface UiOptions {
  /**
   * Whether whoever sees the page may free locks. Mount a second page with `true` behind a stricter login, to let only some do so.
   * @default false
   */
  readonly allowUnlock?: boolean
  /** Hears of each lock that was freed on the page: for the application's log. What it throws becomes a warning of the process. */
  readonly onUnlock?: (freed: Freed) => void
  /**
   * How far back the page knows what has changed, whether or not it was open. Then the locks are listed at all times, with at most 30 commands a
   * second, and the changes kept in this process's memory: 10 000 of them, and no longer than a day. 0: it knows what changes while it is open.
   * @default 0
   */
  readonly historyMs?: number
  /** A client of this process: the page shows what it acquired, waited for and gave up in the last minutes. Absent: no such curves. */
  readonly client?: Metered
  /** What the page calls the place where the locks are. Absent: the address of the Redis server, without user and password. */
  readonly server?: string
}

/** What is used of an instance of Fastify. */
export interface FastifyScope {
  removeAllContentTypeParsers(): void
  addContentTypeParser(
    type: string,
    parser: (request: unknown, payload: unknown, done: (error: null, body?: unknown) => void) => void,
  ): unknown
  all(
    path: string,
    handler: (
      request: { readonly raw: IncomingMessage },
      reply: { readonly raw: ServerResponse; hijack(): unknown },
    ) => void,
  ): unknown
}

/** The live page, to be mounted in an application, behind its login. */
export interface Ui {
  /** For Express, Nest, and whatever else calls functions with what Node has of a request: `app.use('/locks', login, page.handler)`. */
  readonly handler: (request: IncomingMessage, response: ServerResponse) => void
  /** For Hono, and whatever else has a `Request`: `app.all('/locks/*', login, (c) => page.fetch(c.req.raw, c.env))`. */
  readonly fetch: (request: Request, env?: unknown) => Promise<Response>
  /** A plugin for Fastify: `app.register(page.fastify, { prefix: '/locks' })`, in a context with the login as a hook. */
  readonly fastify: (app: FastifyScope) => Promise<void>
  /** Looks no more, and closes the connections that the page has opened. */
  close(): Promise<void>
}

/** Where the locks are, and what is to be closed at the end. */
interface Place {
  readonly family: Family
  readonly catalogue: Catalogue
  readonly shown: string
  letGo(): void
}

/**
 * The live page of the locks in a store, as `holdfast ui` serves it, for an application that mounts it behind its own login: the page asks
 * nobody who they are. It sends nothing while nobody looks, unless it keeps a history.
 *
 * @param clientOrStore what `new Holdfast()` takes; absent: where `new Holdfast()` has its locks
 */
export function ui(clientOrStore?: RedisClient | Store, options: UiOptions = {}): Ui {
  checkObject('options', options, ['allowUnlock', 'onUnlock', 'historyMs', 'client', 'server'])
  const { allowUnlock = false, onUnlock, client, server } = options
  checkBoolean('allowUnlock', allowUnlock)
  if (onUnlock !== undefined) checkFunction('onUnlock', onUnlock)
  if (client !== undefined) checkMethods('client', client, ['metrics'], 'a Holdfast or a LockClient')
  if (server !== undefined && typeof server !== 'string')
    throw new InvalidArgumentError('server', server, 'a string')
  const historyMs = checkHistory(options.historyMs)
  const { family, catalogue, shown, letGo } = placeOf(clientOrStore)
  const looker = new Looker(catalogue, family, textOf, historyMs, client && new Meter(client))
  const app = appOf({
    looker,
    told: textOf,
    server: server ?? shown,
    files: pageFiles,
    access: 'the application’s',
    unlocker: allowUnlock ? new Unlocker({ family, catalogue }, (freed) => onUnlock?.(freed)) : undefined,
  })
  const fetch = async (request: Request, env?: unknown): Promise<Response> =>
    await app.fetch(request, typeof env === 'object' && env !== null ? env : {})
  const listener = getRequestListener((request, env: Bindings) => app.fetch(request, env), {
    overrideGlobalObjects: false,
  })
  const handler: Ui['handler'] = (request, response) => void listener(request, response)
  return {
    handler,
    fetch,
    fastify: async (scope) => {
      // The page reads what it is sent itself.
      scope.removeAllContentTypeParsers()
      scope.addContentTypeParser('*', (_request, _payload, done) => done(null))
      for (const path of ['/', '/*'])
        scope.all(path, (request, reply) => {
          reply.hijack()
          handler(request.raw, reply.raw)
        })
    },
    async close() {
      looker.close()
      await family.close()
      letGo()
    },
  }
}

function checkHistory(historyMs: unknown): number {
  const ms = whole('historyMs', historyMs, 0) ?? 0
  if (ms > LONGEST_HISTORY_MS) throw invalidNumber('historyMs', ms, `at most ${LONGEST_HISTORY_MS}, a day`)
  return ms
}

function placeOf(given: RedisClient | Store | undefined): Place {
  if (isClient(given)) {
    const family = new Family(given)
    const keyspace = new Keyspace(given, given.options.keyPrefix ?? '')
    const letGo = (): void => keyspace[Symbol.dispose]()
    return { family, catalogue: new RedisCatalogue(family, keyspace), shown: addressOf(given), letGo }
  }
  const store = given ?? defaultStore()
  const family = new Family(store)
  const catalogue = new StoreCatalogue(family, family.session, traitsOf(store.traits))
  return { family, catalogue, shown: '', letGo: () => undefined }
}

function addressOf(client: RedisClient): string {
  if (isCluster(client)) return 'a Redis Cluster'
  const { host, port } = client.options
  return `redis://${host}:${port}`
}

/** What happened, without advice to who starts programs. */
function textOf(error: unknown): string {
  return isError(error) ? error.message : String(error)
}
