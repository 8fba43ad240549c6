import type { Keyspace } from '../rows/shape.js'
import type { Line } from './line.js'
import type { LockName } from './lock-name.js'

/** Values with a version; a write requires that nobody else has written meanwhile. Failures as in `SessionLink`. */
export interface Cells {
  /** Reads the value. It is at least as new as any earlier answer to any client. */
  read(cell: CellName): Promise<Cell>
  /** Reads a value, and a line as it was then or before: at the read of the value, no others stood before an entry of that line. */
  readBeside(cell: CellName, lock: LockName): Promise<{ readonly cell: Cell; readonly line: Line }>
  /** Writes the value if its state is as the request says. Returns the new version; undefined if it wrote nothing. */
  write(request: CellWrite): Promise<bigint | undefined>
  /** Calls back whenever the value may have changed, from `confirmed` on. */
  watch(cell: CellName, onChange: () => void): CellWatch
  /**
   * Milliseconds since 1970, by the server's clock where it tells it, else by this machine's. Decides no lease: only when answers to
   * repeated requests are forgotten, and when a value or a semaphore with a time to live is too old.
   */
  now(): number
}

/** Cells of different spaces have nothing to do with each other. */
export interface CellName {
  readonly space: Keyspace | 'computed'
  readonly name: string
}

export interface Cell {
  /** Undefined where there is none. */
  readonly text: string | undefined
  /** Another one after each write, for all time; 0 where there is none. */
  readonly version: bigint
}

export interface CellWrite {
  readonly cell: CellName
  /** The version that it must have; undefined: any, or none. */
  readonly version: bigint | undefined
  /** Undefined: there is to be none. */
  readonly text: string | undefined
  /** After how long the server may remove it, if it can; Infinity: never. */
  readonly keepMs: number
  /** Only if that entry still stands in that line. */
  readonly whileStands?: { readonly lock: LockName; readonly key: string } | undefined
}

export interface CellWatch {
  /** Settles when the server reports changes from now on. */
  readonly confirmed: Promise<void>
  close(): void
}
