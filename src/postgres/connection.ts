/** A statement of this folder. */
export interface Statement {
  /** What it is prepared as, on connections that keep what they prepared. */
  readonly name: string
  readonly text: string
}

/** Columns by name, as the server writes them: texts and nulls. */
export type SqlRow = Readonly<Record<string, unknown>>

/** What Holdfast needs of a connection, whichever client library makes it. Its errors are the library's. */
export interface SqlConnection {
  /** The server process that the library was told of; undefined if it does not say. */
  readonly processId: number | undefined
  /** False before it is connected, and from the moment on when it is known to be of no more use. */
  readonly open: boolean
  connect(): Promise<void>
  /** Runs one statement, one at a time. Values are texts or null. It is prepared under `name`, if there is one. */
  query(
    text: string,
    values?: ReadonlyArray<string | null>,
    name?: string | undefined,
  ): Promise<readonly SqlRow[]>
  /** Calls back with what is notified on any channel that it listens on. */
  onNotification(listener: (payload: string) => void): void
  /** Calls back once it has ended, for whatever reason. */
  onEnd(listener: () => void): void
  /** Says goodbye and does not wait for the server's. */
  end(): void
  /** Breaks it. What is under way is rejected. */
  destroy(): void
}

/** Makes connections that are not open yet. */
export type SqlConnections = () => SqlConnection
