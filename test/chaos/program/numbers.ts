/** What is numbered in a worker, whichever of its clients it belongs to. */
export interface Numbers {
  calls: number
  /** Scopes of `run` are numbered downwards: those of sections have the numbers of their calls. */
  runs: number
  changes: number
}
