/** What an entry of the benchmark is. Only peers are compared as "the best peer"; the rest tells where the limits are. */
export type Sort = 'ours' | 'floor' | 'reference' | 'peer' | 'elsewhere'

export type Runtime = 'node' | 'jvm' | 'go'

export interface Entry {
  readonly name: string
  readonly title: string
  readonly sort: Sort
  readonly runtime: Runtime
  /** The installed package whose version stands in the report; otherwise the driver says it. */
  readonly what: string
  /** What was changed from its defaults. */
  readonly changed: string
  /** Sleeps so long between attempts that a burst of it ends only with patience; it gets less of that. */
  readonly slow?: boolean
  /** Where two share the lock: every other process runs the second. */
  readonly sides?: readonly [string, string]
}
