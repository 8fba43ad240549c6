/** One broken version of the library. */
export interface Fault {
  readonly name: string
  readonly fault: string
  /** Scripts by their names, or one source file: the text occurs in each exactly once. */
  readonly in: { readonly scripts: readonly string[] } | { readonly source: string }
  readonly text: string
  readonly becomes: string
}
