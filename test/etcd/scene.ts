/** What tests of etcd are made of; it ends with the test. */
import { randomUUID } from 'node:crypto'
import { onTestFinished } from 'vitest'
import { SystemClock } from '../../src/base/time/clock.js'
import { Schedule } from '../../src/base/time/schedule.js'
import { Holdfast, type HoldfastOptions } from '../../src/index.js'
import type { StoreSettings } from '../../src/port/store.js'
import { EtcdClient } from '../../src/stores/etcd/client/client.js'
import { etcd } from '../../src/stores/etcd/index.js'
import { EtcdLink } from '../../src/stores/etcd/link.js'
import { keyOf } from '../../src/stores/session/key.js'
import type { Line } from '../../src/stores/session/line.js'
import type { LinkListener, StandRequest } from '../../src/stores/session/link.js'
import type { LockName } from '../../src/stores/session/lock-name.js'
import { EtcdServer } from '../servers/etcd/index.js'
import { Wire } from '../wire/wire.js'

type Endpoint = Pick<EtcdServer, 'url'> | { readonly url: string }

/** A client of these servers, of which the test fails whatever belongs to no call. */
export function clientOf(
  servers: readonly Endpoint[],
  {
    timeoutMs = 3_000,
    credentials,
  }: { timeoutMs?: number; credentials?: { user: string; password: string } } = {},
): { readonly client: EtcdClient; readonly schedule: Schedule } {
  const schedule = new Schedule(new SystemClock(), (error) => {
    throw error
  })
  const hosts = servers.map(({ url }) => url)
  const client = new EtcdClient({ hosts, tls: undefined, credentials }, schedule, timeoutMs)
  onTestFinished(() => client.close())
  return { client, schedule }
}

export function holdfastOn(store: Parameters<typeof etcd>[0], options: HoldfastOptions = {}): Holdfast {
  const made = new Holdfast(etcd(store), options)
  onTestFinished(() => made.close())
  return made
}

/** A link as one client of Holdfast has it, and what it was told. */
export function linkTo(
  servers: readonly Endpoint[],
  { prefix = 'holdfast/', ...terms }: Partial<StoreSettings> & { readonly prefix?: string } = {},
) {
  const told: Record<'gone' | 'suspended' | 'errors', unknown[]> = { gone: [], suspended: [], errors: [] }
  const clientId = randomUUID()
  let made = 0
  const settings: StoreSettings = {
    schedule: new Schedule(new SystemClock(), (error) => told.errors.push(error)),
    clientId,
    watchdogLeaseMs: 30_000,
    quarantineMs: 0,
    commandTimeoutMs: 3_000,
    onError: (error) => told.errors.push(error),
    onSuspended: (cause) => told.suspended.push(cause),
    ...terms,
  }
  const listener: LinkListener = {
    gone: (_, key) => told.gone.push(key),
    ended: () => undefined,
    asked: () => undefined,
  }
  const hosts = servers.map(({ url }) => url)
  const link = new EtcdLink({ hosts, tls: undefined, credentials: undefined }, prefix, settings, listener)
  onTestFinished(() => link.close())
  const key = (): string => {
    made += 1
    return keyOf(`${clientId}:1`, made)
  }
  return { link, told, key }
}

/** A client with a session, at the line of that lock. */
export async function memberOf(lock: LockName, ...at: Parameters<typeof linkTo>) {
  const { link, told, key } = linkTo(...at)
  const { session } = await link.begin(30_000)
  let last = ''
  return {
    ...{ link, told, key, session },
    /** Resolves with the line as it is then; undefined: its session has ended. */
    stand: async (own = key(), terms: Partial<StandRequest> = {}): Promise<Line | undefined> => {
      last = own
      return await link.stand({ lock, session, key: own, mode: 'lock', ifFree: false, ...terms })
    },
    leave: (own = last): Promise<boolean> => link.remove(lock, own),
    read: async () => (await link.read(lock)).map((entry) => entry.key),
    /** Waits for the end of the first in that line: whether it was told so for sure, once it is. */
    watch: ([entry]: Line = []) => {
      if (!entry) throw new Error('somebody stands there')
      const sure: boolean[] = []
      link.watch(lock, entry, (each) => sure.push(each))
      return { entry, sure }
    },
  }
}

/** A lock of its own for one test. */
export const anyLock = () => ({ keyspace: 'lock', name: `lock ${randomUUID()}` }) as const

/** A way to a server that does to bytes what networks do. */
export async function wireTo({ port }: EtcdServer): Promise<{ readonly wire: Wire; readonly url: string }> {
  const wire = await Wire.before({ host: '127.0.0.1', port })
  onTestFinished(() => wire.stop())
  return { wire, url: `http://127.0.0.1:${wire.port}` }
}

const password = 'a password of tests'
export const least = { user: 'least', password }

/** A command line's options for who may do everything on {@link serverWithUsers}. */
export const asRoot = ['--user', `root:${password}`]

/** A server on which the user `least` may do what locks need, and no more. */
export async function serverWithUsers(terms: Parameters<typeof EtcdServer.start>[0]): Promise<EtcdServer> {
  const server = await EtcdServer.start(terms)
  for (const user of ['root', 'least']) await server.ctl('user', 'add', `${user}:${password}`)
  await server.ctl('role', 'add', 'locks')
  await server.ctl('role', 'grant-permission', 'locks', '--prefix=true', 'readwrite', 'holdfast/')
  await server.ctl('user', 'grant-role', 'root', 'root')
  await server.ctl('user', 'grant-role', 'least', 'locks')
  await server.ctl('auth', 'enable')
  return server
}

/** What etcd has counted under that name. */
export async function counted({ url }: EtcdServer, what: string): Promise<number> {
  const metrics = await (await fetch(`${url}/metrics`)).text()
  const line = metrics.split('\n').find((each) => each.startsWith(what))
  return Number(line?.split(' ').at(-1) ?? 0)
}

/** How many watches it keeps. */
export const watchedOn = (server: EtcdServer) => counted(server, 'etcd_debugging_mvcc_watcher_total')
