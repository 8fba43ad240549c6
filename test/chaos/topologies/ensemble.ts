export interface Member {
  pause(): Promise<void>
  resume(): unknown
  /** Ends it as a crash would; its data stays. */
  kill(): Promise<void>
  launch(): Promise<void>
}

/** Servers that decide by a majority, as nemeses and the checker see them. */
export interface Ensemble {
  readonly members: readonly Member[]
  leader(): Promise<Member>
  readonly moveLeader?: () => Promise<void>
  readonly compact?: () => Promise<void>
  /** The others neither hear nor reach that member; clients do. */
  isolate(member: Member): void
  heal(): void
  serves(): Promise<void>
  /** What stands in lines. */
  entries(): Promise<readonly string[]>
}
