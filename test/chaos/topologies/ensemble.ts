/** A server of an ensemble. */
export interface Member {
  pause(): Promise<void>
  resume(): unknown
  /** Ends it as a crash would; its data stays. */
  kill(): Promise<void>
  /** Starts it again; it may not serve yet. */
  launch(): Promise<void>
}

/** Servers that decide by a majority, as nemeses and the checker see them. */
export interface Ensemble {
  readonly members: readonly Member[]
  leader(): Promise<Member>
  /** Has another member lead, where an operator can. */
  readonly moveLeader?: () => Promise<void>
  /** Clears away the history, where there is one. */
  readonly compact?: () => Promise<void>
  /** The others neither hear nor reach that member; clients do. */
  isolate(member: Member): void
  /** Ends that. */
  heal(): void
  /** Resolves when all members serve. */
  serves(): Promise<void>
  /** What stands in lines. */
  entries(): Promise<readonly string[]>
}
