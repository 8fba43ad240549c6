import type { Place } from '../../drivers/place.js'

/** How many connections Holdfast opens in a process at most: PostgreSQL has one more, which listens. Everybody has as many. */
export const connectionsAt = ({ system }: Place): number => (system === 'PostgreSQL' ? 5 : 4)

/** Statements that are prepared, on one connection. */
export interface Session {
  /** How many rows a statement has changed, or how many it gives. */
  run(statement: Prepared, values: readonly (string | number)[]): Promise<number>
}

export interface Prepared {
  readonly name: string
  readonly text: string
}

/** A pool of connections as the client library of a database makes it. */
export interface Sessions {
  readonly version: string
  run(statement: Prepared, values: readonly (string | number)[]): Promise<number>
  /** Has one connection to itself for as long as the work takes. */
  with<Result>(work: (session: Session) => Promise<Result>): Promise<Result>
  close(): Promise<unknown>
}

export async function sessionsAt(place: Place): Promise<Sessions> {
  const { open } =
    place.system === 'PostgreSQL' ? await import('./pg-sessions.js') : await import('./mysql-sessions.js')
  return open(place)
}
