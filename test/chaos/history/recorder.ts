import { closeSync, openSync, writeSync } from 'node:fs'
import { now, type Told } from './event.js'

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
