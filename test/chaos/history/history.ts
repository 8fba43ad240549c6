import { closeSync, openSync, readFileSync, writeSync } from 'node:fs'
import { type HistoryEvent, now, type Told } from './event.js'

export interface Fault {
  readonly what: string
  readonly from: number
  readonly to: number
  /** Whether data may be gone: all of it, that of a name, or what was written since a moment before. */
  readonly loses: 'nothing' | 'all' | { readonly name: string } | { readonly since: number }
  /** Whether what was given back shortly before may be held again, by nobody, until its lease ends. */
  readonly revives: boolean
  /** Whether stores were hard to reach meanwhile, so that nothing is to be expected of them. */
  readonly cutsOff: boolean
  /** Whether stores refused commands for good meanwhile, because they have no room. */
  readonly refuses: boolean
  /** The worker that had no answer at all from any server meanwhile. */
  readonly silences?: string | undefined
}

export const HARMLESS = { loses: 'nothing', revives: false, cutsOff: false, refuses: false } as const

export function mayLose({ loses }: Fault, name: string): boolean {
  if (typeof loses === 'string') return loses === 'all'
  return 'since' in loses || loses.name === name
}

export interface WorkerHistory {
  readonly worker: string
  readonly events: readonly HistoryEvent[]
  /** When it was killed; undefined: it was not. */
  readonly killedAt: number | undefined
}

export interface History {
  readonly workers: readonly WorkerHistory[]
  readonly faults: readonly Fault[]
  /** When the parent, through which all bytes go, stood still itself, and for how long. */
  readonly parentLags: ReadonlyArray<{ readonly t: number; readonly ms: number }>
  readonly endedAt: number
}

/** The history a worker has written. A last line that was cut off by its end is dropped. */
export function readHistory(path: string): HistoryEvent[] {
  const lines = readFileSync(path, 'utf8').split('\n')
  lines.pop()
  return lines.map((line): HistoryEvent => JSON.parse(line))
}

/** Writes a worker's history. Each line is in the file when the call returns, so that SIGKILL loses none that mattered. */
export class Recorder {
  readonly #file: number

  constructor(path: string) {
    this.#file = openSync(path, 'a')
  }

  /** @param t when that was so */
  write(told: Told, t = now()): void {
    writeSync(this.#file, `${JSON.stringify({ t, ...told })}\n`)
  }

  close(): void {
    closeSync(this.#file)
  }
}
