// Not by the name of its function: bundlers are often told to declare that one.
import nodeModule from 'node:module'
import process from 'node:process'
import { hasMethods } from '../checks/checks.js'
import { StoreError } from '../errors/errors.js'
import { codeOf } from '../errors/is-error.js'

/**
 * A package that not everybody needs; undefined where it is not installed. It is not imported: nothing has to be there which is not used,
 * and no bundler looks for it.
 */
export function installed(name: string): unknown {
  try {
    return requireHere()(name)
  } catch (error) {
    if (codeOf(error) === 'MODULE_NOT_FOUND') return undefined
    throw error
  }
}

/** @throws StoreError that says what to do if there is none. */
export function required<Module>(
  name: string,
  is: (found: unknown) => found is Module,
  todo: string,
): Module {
  let cause: unknown
  try {
    const found = installed(name)
    if (is(found)) return found
  } catch (error) {
    cause = error
  }
  throw notInstalled(`${name} could not be loaded: ${todo}`, cause)
}

export function notInstalled(hint: string, cause?: unknown): StoreError {
  return new StoreError('not-installed', 'open', { transient: false, hint, cause })
}

/** Whether a module has these functions. */
export function offers<Module>(
  ...names: ReadonlyArray<keyof Module & string>
): (found: unknown) => found is Module {
  return (found): found is Module => hasMethods(found, names)
}

/** Node's `require`, which finds what is installed for this package, or for the application that it was bundled into. */
export function requireHere(): NodeJS.Require {
  // A bundle in CommonJS has no `import.meta.url`.
  return nodeModule.createRequire(import.meta.url || process.argv[1] || `${process.cwd()}/`)
}
