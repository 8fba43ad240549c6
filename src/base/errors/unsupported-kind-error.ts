import { HoldfastError } from './holdfast-error.js'

/** The store does not keep that kind of lock. Nothing was sent, and a retry cannot succeed. */
export class UnsupportedKindError extends HoldfastError {
  /** @internal */
  static override readonly kind = 'UnsupportedKindError'

  /** What was asked for. */
  readonly wanted: string
  /** What the store keeps, by the names of the methods of `Holdfast`. */
  readonly kept: readonly string[]

  constructor(wanted: string, kept: readonly string[]) {
    super(
      'UNSUPPORTED_KIND',
      `This store keeps no ${wanted}. It keeps: ${kept.join(', ')}. Use one of these, or a store that keeps what you need.`,
    )
    this.wanted = wanted
    this.kept = kept
  }
}
