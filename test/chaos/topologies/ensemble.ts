import type { ServerProgram } from '../../servers/server-program.js'

type Member = Pick<ServerProgram, 'pause' | 'resume' | 'kill' | 'launch'>

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
