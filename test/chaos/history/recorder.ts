import { closeSync, openSync, writeSync } from 'node:fs'
import { now, type Told } from './event.js'

/** Writes a worker's history. Each line is in the file when the call returns, so that SIGKILL loses none that mattered. */
export class Recorder {
  readonly #file: number

  constructor(path: string) {
    this.#file = openSync(path, 'a')
  }

  write(told: Told): void {
    writeSync(this.#file, `${JSON.stringify({ t: now(), ...told })}\n`)
  }

  close(): void {
    closeSync(this.#file)
  }
}
