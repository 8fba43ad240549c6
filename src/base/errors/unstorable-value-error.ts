import { printable } from '../identity/printable.js'
import { HoldfastError, quoted } from './holdfast-error.js'

/** JSON cannot carry a computed value unchanged, so other callers could not get the same value. Holdfast did not store it. */
export class UnstorableValueError extends HoldfastError {
  /** @internal */
  static override readonly kind = 'UnstorableValueError'

  /** Where in the value, for example `$.items[3].price`. */
  readonly path: string

  constructor(key: string, path: string, what: string) {
    super(
      'UNSTORABLE_VALUE',
      `The value computed for ${quoted(key)} contains ${what} at ${printable(path)}, which JSON cannot carry unchanged. Return null, booleans, finite ` +
        'numbers, strings, and arrays and plain objects of these; convert dates, bigints, maps and class instances first.',
    )
    this.path = path
  }
}
