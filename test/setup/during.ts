/** What stands for the time of a test, or of all tests of a file or block: brought before, ended after, and called by one name. */
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'

type Ending =
  | { end(): unknown }
  | { stop(): unknown }
  | { close(): unknown }
  | { kill(): unknown }
  | { drop(): unknown }

export function duringEach<It extends Ending>(bring: () => It | Promise<It>, withinMs?: number): It {
  return broughtBy(bring, (hook) => beforeEach(hook, withinMs), afterEach)
}

/** Brings one for all tests of the file, or of the block in which it is called. */
export function duringAll<It extends Ending>(bring: () => It | Promise<It>, withinMs?: number): It {
  return broughtBy(bring, (hook) => beforeAll(hook, withinMs), afterAll)
}

type Hook = (hook: () => Promise<void>) => void

function broughtBy<It extends Ending>(bring: () => It | Promise<It>, before: Hook, after: Hook): It {
  let current: It | undefined
  before(async () => {
    current = await bring()
  })
  after(async () => {
    const ending = current
    current = undefined
    if (ending) await end(ending)
  })
  return standIn(() => {
    if (!current) throw new Error('It is there while tests run, and was used outside of them.')
    return current
  })
}

async function end(it: Ending): Promise<void> {
  if ('end' in it) await it.end()
  else if ('stop' in it) await it.stop()
  else if ('close' in it) await it.close()
  else if ('kill' in it) await it.kill()
  else await it.drop()
}

/** Whatever is asked of it is asked of the one that is there then. */
function standIn<It extends object>(current: () => It): It {
  const nothing: It = Object.create(null)
  return new Proxy(nothing, {
    get: (_, property) => {
      const it = current()
      const found: unknown = Reflect.get(it, property)
      return typeof found === 'function' ? found.bind(it) : found
    },
    set: (_, property, value) => Reflect.set(current(), property, value),
    has: (_, property) => Reflect.has(current(), property),
    ownKeys: () => Reflect.ownKeys(current()),
    getOwnPropertyDescriptor: (_, property) => {
      const found = Reflect.getOwnPropertyDescriptor(current(), property)
      return found && { ...found, configurable: true }
    },
    getPrototypeOf: () => Reflect.getPrototypeOf(current()),
  })
}
