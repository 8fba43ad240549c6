/** Stores guarded values. */
export interface GuardedPort {
  readGuarded(key: string): Promise<Guarded | undefined>
  /** Writes `value`, or removes it if `undefined`. If the store has seen a greater token, returns that token and changes nothing. */
  writeGuarded(key: string, fence: bigint, value: string | undefined): Promise<bigint | undefined>
}

/** A value and the fencing token of the write. */
export interface Guarded {
  readonly value: string
  readonly fence: bigint
}
