import type { Place } from './place.js'

/** What sort of work a driver does; see README.md. */
export type Kind = 'sequential' | 'fresh' | 'keys' | 'nested' | 'burst' | 'loop'

/** What one driver process is told, as JSON in its one argument. The same for the drivers in Node, Java and Go. */
export interface Order extends Place {
  readonly library: string
  readonly scenario: Kind
  /** What every key begins with. */
  readonly key: string
  /** Tasks that run at once in this process; for `keys`, keys. */
  readonly waiters: number
  /** 1: a timer of 1 ms inside the section; 0: nothing. */
  readonly sectionMs: 0 | 1
  /** How many holds are nested (`nested` only). */
  readonly depth: number
  /** How long to go on; a burst ends by itself. */
  readonly durationMs: number
  /** Burst: the end of patience. Loop: how long after `durationMs` waiters may still get through. */
  readonly giveUpMs: number
  /** The number of this process's first waiter, so that waiters are numbered across processes. */
  readonly firstWaiter: number
  /** Where the sections go: little-endian float64 quadruples, see records.ts. */
  readonly recordFile: string
  readonly recordAtMost: number
  /**
   * The wall clock less the machine's monotonic clock, in ms, as the harness sees it: so all Node drivers of a cell have one
   * clock. Drivers that cannot use it anchor their own.
   */
  readonly clockOffsetMs?: number
  /** How many uncontended sections come before, where it is not the usual number. */
  readonly warmUpCycles?: number
}

/** What a driver prints, one line each: `ready` (or `unsupported`) when it may start, `done` at the end. */
export interface Ready {
  readonly ready: true
  readonly version: string
}

export interface Unsupported {
  readonly unsupported: string
}

export interface Done {
  readonly done: true
  readonly sections: number
  readonly elapsedMs: number
  /** User and system time of the process between the start and the end. */
  readonly cpuMs: number
  readonly perWaiter: readonly number[]
  readonly gaveUp: number
  /** The first few messages. */
  readonly errors: readonly string[]
  readonly maxRssMb: number
  /** Commands the process sent itself; where absent they are taken from the server's counters. */
  readonly commands?: number
  /** Messages that channels brought the process; where absent they are taken from the server's counters, if those tell. */
  readonly messages?: number
  /** How often the process sent something and had to wait for an answer, where that was counted. */
  readonly roundTrips?: number
}

export type Line = Ready | Unsupported | Done
