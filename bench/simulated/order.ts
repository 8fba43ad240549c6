/** What a fleet is made of. */
export interface FleetOrder {
  readonly processes: number
  readonly callers: number
  /** How long a caller thinks until it asks again, at most. */
  readonly thinksMs: number
  readonly lingerMs: number | 'auto'
  readonly watchdogMs: number
  /** How long its callers go on, in virtual time. */
  readonly durationMs: number
  /** How many processes are killed while they have the lock, at equal distances. */
  readonly kills: number
  readonly seed: number
}

/** What came of it. */
export interface FleetFigures extends FleetOrder {
  readonly sections: number
  readonly commandsPerSection: number
  readonly messagesPerSection: number
  /** Of the sections of each process that lives and is not slow. */
  readonly jain: number
  /** Of the turns of each process that lives: sections in a row. */
  readonly jainOfTurns: number
  readonly sectionsPerTurn: number
  /** Of callers that wait until their turn, in processes that live; one that still waits counts. */
  readonly longestWaitMs: number
  readonly starved: number
  /** From the kill of a holder to the next section: the longest, undefined where nobody was killed. */
  readonly recoveryMs: number | undefined
  readonly overlaps: number
  readonly failures: readonly string[]
}
