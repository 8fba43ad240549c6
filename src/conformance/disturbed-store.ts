import { StoreError } from '../base/errors/errors.js'
import type { LockPort, News } from '../port/lock-port.js'
import type { Store, StoreSession, StoreSettings } from '../port/store.js'

type Call = 'acquire' | 'release' | 'handOver' | 'forceUnlock'

/** What is in force between one client and its store. */
export class Disturbance {
  /** Nothing reaches the store. */
  cut = false
  /** How often the client was told something of a lock. */
  news = 0
  readonly #loses = new Map<string, number>()

  /** The store carries out so many of the next calls, and its answers are lost. */
  lose(call: Call, times = 1): void {
    this.#loses.set(call, times)
  }

  /** One call to the store. */
  async pass<Reply>(name: string, call: () => Promise<Reply>): Promise<Reply> {
    if (this.cut) throw failure(name, 'unreachable')
    const reply = await call()
    const left = this.#loses.get(name) ?? 0
    if (left === 0) return reply
    this.#loses.set(name, left - 1)
    throw failure(name, 'timeout')
  }
}

/** A store as one client reaches it over a bad connection. Kinds beside the plain lock are left out. */
export function disturbedStore(store: Store, disturbance: Disturbance): Store {
  const { clock, traits, portVersion } = store
  return {
    ...(clock && { clock }),
    ...(traits && { traits }),
    ...(portVersion !== undefined && { portVersion }),
    open: (settings: StoreSettings): StoreSession => {
      const session = store.open(settings)
      return { lock: disturbedPort(session.lock, disturbance), close: () => session.close() }
    },
  }
}

function disturbedPort(port: LockPort, disturbance: Disturbance): LockPort {
  const calls: Partial<LockPort> = {
    acquire: (request) => disturbance.pass('acquire', () => port.acquire(request)),
    abandon: (request) => disturbance.pass('abandon', () => port.abandon(request)),
    handOver: (request) => disturbance.pass('handOver', () => port.handOver(request)),
    release: (request) => disturbance.pass('release', () => port.release(request)),
    renew: (requests) =>
      disturbance.cut
        ? requests.map(() => Promise.reject(failure('renew', 'unreachable')))
        : port.renew(requests),
    forceUnlock: (name) => disturbance.pass('forceUnlock', () => port.forceUnlock(name)),
    inspect: (name) => disturbance.pass('inspect', () => port.inspect(name)),
    watch: (name, onNews) =>
      port.watch(name, (news?: News) => {
        disturbance.news += 1
        onNews(news)
      }),
  }
  return new Proxy(port, {
    get(target, property) {
      const found: unknown = Reflect.get(calls, property) ?? Reflect.get(target, property, target)
      return typeof found === 'function' ? found.bind(target) : found
    },
  })
}

function failure(command: string, reason: 'unreachable' | 'timeout'): StoreError {
  return new StoreError(reason, command, { transient: true, hint: 'The suite has disturbed it.' })
}
