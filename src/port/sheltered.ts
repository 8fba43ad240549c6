import { StoreError } from '../base/errors/errors.js'
import { HoldfastError } from '../base/errors/holdfast-error.js'

/**
 * A store, a session or a port, all of whose failures are errors of Holdfast: the last to see what a store or a client library throws
 * that its own code did not expect. Nothing else of it changes.
 */
export function sheltered<Port extends object>(port: Port): Port {
  const known = new Map<PropertyKey, { readonly found: unknown; readonly given: unknown }>()
  // An empty object, since the proxy of a frozen port could not give other values.
  const bare: Port = Object.create(port)
  return new Proxy(bare, {
    get: (_, property) => {
      const found: unknown = Reflect.get(port, property, port)
      if (typeof found !== 'function' && (typeof found !== 'object' || found === null)) return found
      const earlier = known.get(property)
      if (earlier?.found === found) return earlier.given
      const given = part(port, String(property), found)
      known.set(property, { found, given })
      return given
    },
    set: (_, property, value) => Reflect.set(port, property, value, port),
  })
}

function part(port: object, name: string, found: object): unknown {
  if (isThenable(found)) return promised(found, name, undefined)
  if (typeof found !== 'function') return sheltered(found)
  return (...args: unknown[]): unknown => {
    const lockName = nameIn(args)
    try {
      return result(Reflect.apply(found, port, args), name, lockName)
    } catch (error) {
      throw failureOf(error, name, lockName)
    }
  }
}

function result(given: unknown, command: string, lockName: string | undefined): unknown {
  if (typeof given !== 'object' || given === null) return given
  if (isThenable(given)) return promised(given, command, lockName)
  if (Array.isArray(given)) return given.map((each) => result(each, command, lockName))
  if (isSequence(given)) return sequence(given, command)
  // A watch, a session, another port.
  return 'confirmed' in given || 'close' in given || 'acquire' in given ? sheltered(given) : given
}

function promised(
  given: PromiseLike<unknown>,
  command: string,
  lockName: string | undefined,
): Promise<unknown> {
  return Promise.resolve(given).then(undefined, (error: unknown) => {
    throw failureOf(error, command, lockName)
  })
}

async function* sequence(given: AsyncIterable<unknown>, command: string): AsyncIterable<unknown> {
  try {
    yield* given
  } catch (error) {
    throw failureOf(error, command, undefined)
  }
}

/** The outcome of the command is unknown, as after a lost answer: the caller may send the same request again. */
function failureOf(cause: unknown, command: string, lockName: string | undefined): HoldfastError {
  if (cause instanceof HoldfastError) return cause
  return new StoreError('unknown', command, {
    lockName,
    cause,
    transient: true,
    hint: 'The store or its client library failed unexpectedly: see the cause.',
  })
}

/** Requests and questions begin with it, or name it. */
function nameIn([first]: readonly unknown[]): string | undefined {
  if (typeof first === 'string') return first
  if (Array.isArray(first)) return nameIn(first)
  const named = typeof first === 'object' && first !== null && 'name' in first ? first.name : undefined
  return typeof named === 'string' ? named : undefined
}

function isThenable(found: object): found is PromiseLike<unknown> {
  return 'then' in found && typeof found.then === 'function'
}

function isSequence(found: object): found is AsyncIterable<unknown> {
  return Symbol.asyncIterator in found
}
