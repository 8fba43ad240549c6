import { write } from 'node:fs'

/** How long to wait before another attempt on a stream that another process has made non-blocking. */
const FULL_PAUSE_MS = 20

/**
 * One of the program's standard streams, written in the background and in order. Node's own streams would block all work while a reader
 * is slow, and end the process if there is none; a program that holds a lock must avoid both.
 */
export class StandardStream {
  /** Settles when all is written, or cannot be written. */
  written: Promise<void> = Promise.resolve()

  constructor(
    private readonly descriptor: 1 | 2,
    /** Called for a text that could not be written, before the next one. */
    private readonly failed: (error: NodeJS.ErrnoException) => Promise<void> | undefined = () => undefined,
  ) {}

  write(text: string): void {
    this.written = this.written.then(async () => {
      let rest = Buffer.from(text)
      while (rest.length > 0) {
        const result = await attempt(this.descriptor, rest)
        if (typeof result === 'number') rest = rest.subarray(result)
        else if (result.code === 'EAGAIN') await new Promise((resolve) => setTimeout(resolve, FULL_PAUSE_MS))
        else return await this.failed(result)
      }
    })
  }
}

function attempt(descriptor: number, bytes: Buffer): Promise<number | NodeJS.ErrnoException> {
  return new Promise((resolve) => {
    write(descriptor, bytes, (error, written) => resolve(error ?? written))
  })
}
