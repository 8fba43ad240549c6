/** What a server, or whatever keeps the locks, counts itself; each where it can. */
export interface ServerTraffic {
  readonly commands?: number | undefined
  readonly messages?: number | undefined
}

/** The harness's own view of what is measured. */
export interface ServerSide {
  /** Takes away what an earlier cell has left. Only for what was started for this. */
  clear(): Promise<void>
  resetCounters(): Promise<void>
  /** CPU time since it was started; undefined where there is no server, or where it cannot be told. */
  cpuMs(): Promise<number | undefined>
  /** What clients of that library sent and were sent, since the counters were reset. */
  traffic(library: string): Promise<ServerTraffic>
  /** What the table of locks takes on the disk, with its indexes. Absent where there is none. */
  tableBytes?(): Promise<number>
  close(): Promise<void>
}
