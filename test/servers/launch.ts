import type { Wanted } from './flavour.js'

export type Signal = 'SIGKILL' | 'SIGTERM' | 'SIGSTOP' | 'SIGCONT'

export interface Running {
  /** The process id on this machine, where there is one to be seen. */
  readonly pid: number | undefined
  /** Sends a signal; does nothing when the process has ended. */
  signal(name: Signal): Promise<void>
  /** `undefined` while it runs; afterwards what it printed outside its log. */
  lastWords(): Promise<string | undefined>
  /** Clears away what an ended process leaves behind, except its folder. */
  discard(): Promise<void>
}

export interface LaunchOrder {
  readonly args: readonly string[]
  /** The working directory: everything the server reads or writes is in here, under relative names. */
  readonly dir: string
  readonly port: number
  /** To be called with a shell command that ends the process and clears up, as soon as there is one. */
  readonly undo: (command: string) => void
}

/** Starts server processes of one program in one way. */
export interface Launcher {
  /** Arguments that have a server listen where this machine can reach it. */
  readonly listening: readonly string[]
  launch(order: LaunchOrder): Promise<Running>
}

export type How = 'docker' | 'binary' | 'package'

export interface Way {
  readonly how: How
  /** Where the program comes from, for the one line that says so. */
  readonly from: string
  readonly launcher: Launcher
}

export interface Need {
  readonly wanted: Wanted
  /** Whether several servers must reach each other over the loopback interface. */
  readonly group: boolean
}
