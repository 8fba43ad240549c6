import type { Store, StoreSession, StoreSettings } from '../../src/port/store.js'
import { MemoryStore, type VirtualClock } from '../../src/stores/memory/index.js'

/** What a port answers without asking anybody. */
const BY_ITSELF = ['placeOf', 'hears', 'pauseMs', 'asideMs']

/** A store in memory whose commands do something else, if it says so. */
export abstract class TakenOver implements Store {
  readonly #memory: MemoryStore

  constructor(readonly clock: VirtualClock) {
    this.#memory = new MemoryStore(clock)
  }

  open(settings: StoreSettings): StoreSession {
    return Object.freeze(this.#wrap(this.#memory.open(settings)))
  }

  /** Whether `instead` is called in place of that command. */
  protected abstract takes(command: string): boolean
  protected abstract instead(command: string): unknown

  #wrap<Port extends object>(port: Port): Port {
    const bare: Port = Object.create(port)
    return new Proxy(bare, {
      get: (_, property): unknown => {
        const found: unknown = Reflect.get(port, property, port)
        if (typeof found === 'function')
          return (...args: unknown[]): unknown => this.#carryOut(String(property), found.bind(port), args)
        return typeof found === 'object' && found !== null ? this.#wrap(found) : found
      },
    })
  }

  #carryOut(command: string, carryOut: (...args: unknown[]) => unknown, args: readonly unknown[]): unknown {
    if (BY_ITSELF.includes(command) || !this.takes(command)) return carryOut(...args)
    const [first] = args
    const answer = (): unknown => this.instead(command)
    return command === 'renew' && Array.isArray(first) ? first.map(answer) : answer()
  }
}
