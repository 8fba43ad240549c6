/** One line of the closing table. */
export interface Finding {
  readonly what: string
  readonly figure: string
  /** Whether it is as it must be; undefined where nothing is required. */
  readonly sound?: boolean
}
