import { HoldfastError } from '../holdfast-error.js'

/** A computed value is not what JSON carries, so that others could not be given the same. It was not kept. */
export class UnstorableValueError extends HoldfastError {
  /** @internal */
  static override readonly kind = 'UnstorableValueError'

  /** Where in the value, as `$.items[3].price`. */
  readonly path: string

  constructor(key: string, path: string, what: string) {
    super(
      'UNSTORABLE_VALUE',
      `The value computed for "${key}" holds ${what} at ${path}, which JSON does not carry. Return null, booleans, finite numbers, ` +
        'strings, and arrays and plain objects of them; turn dates, bigints, maps and class instances into such first.',
    )
    this.path = path
  }
}
