/** Where guarded values are kept. */
export interface GuardedPort {
  readGuarded(key: string): Promise<Guarded | undefined>
  /** Writes `value`, or removes it if that is undefined. Returns the token seen if that is greater: then nothing was changed. */
  writeGuarded(key: string, fence: bigint, value: string | undefined): Promise<bigint | undefined>
}

/** A value and the fencing token it was written under. */
export interface Guarded {
  readonly value: string
  readonly fence: bigint
}
