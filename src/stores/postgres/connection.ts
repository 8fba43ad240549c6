import type { SqlConnection } from '../sql/connection.js'

/** A connection to PostgreSQL, whichever client library makes it. */
export interface ListeningConnection extends SqlConnection {
  /** The server process that the library names; undefined if it does not. */
  readonly processId: number | undefined
  /** Calls back with each notification on the channels that it listens on. */
  onNotification(listener: (payload: string) => void): void
}

/** Makes connections that are not open yet; each asks before each statement whether to prepare it. */
export type MakeConnection = (prepares: () => boolean) => ListeningConnection
