import type { StoreError } from '../../src/index.js'
import { closedError } from '../../src/port/failure.js'
import type { Watch } from '../../src/port/lock-port.js'
import type { Store, StoreSession, StoreSettings } from '../../src/port/store.js'
import { MemoryStore, type VirtualClock } from '../../src/stores/memory/index.js'

/** What a port answers without asking anybody. */
const BY_ITSELF = new Set<PropertyKey>(['placeOf', 'hears', 'pauseMs', 'asideMs'])

/** A store that never settles anything from a moment on: not even its own time is up, and to be closed does not move it. */
export class MuteStore implements Store {
  mute = false
  /** Whether its sessions say that they are closed, as they should: without asking anybody. */
  closes = true
  /** Whether what was asked fails when the session is closed, as where a connection ends. */
  fails = false
  readonly #open: Array<(error: StoreError) => void> = []
  /** What was asked of it since. */
  readonly asked: string[] = []
  readonly #memory: MemoryStore

  constructor(readonly clock: VirtualClock) {
    this.#memory = new MemoryStore(clock)
  }

  open(settings: StoreSettings): StoreSession {
    return this.#wrap(this.#memory.open(settings))
  }

  #wrap<Port extends object>(port: Port): Port {
    return new Proxy(port, {
      get: (target, property): unknown => {
        const found: unknown = Reflect.get(target, property, target)
        if (typeof found === 'function')
          return (...args: unknown[]): unknown =>
            this.mute && !this.#answers(property)
              ? this.#silence(String(property), args)
              : Reflect.apply(found, target, args)
        return typeof found === 'object' && found !== null ? this.#wrap(found) : found
      },
    })
  }

  #answers(command: PropertyKey): boolean {
    if (command !== 'close') return BY_ITSELF.has(command)
    if (this.fails) for (const reject of this.#open) reject(closedError({ command: 'look' }))
    return this.closes
  }

  #silence(command: string, [first]: unknown[]): unknown {
    this.asked.push(command)
    if (command === 'list') return endless()
    const never = new Promise<never>((_, reject) => void this.#open.push(reject))
    if (command === 'watch' || command === 'hearAsks')
      return { confirmed: never, close: () => undefined } satisfies Watch
    return command === 'renew' && Array.isArray(first) ? first.map(() => never) : never
  }
}

async function* endless(): AsyncIterable<never> {
  await new Promise<never>(() => undefined)
}
