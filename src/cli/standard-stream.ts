import { write } from 'node:fs'

/** How long until a stream that another process has made non-blocking is tried again. */
const FULL_PAUSE_MS = 20

/**
 * One of the program's own streams, written in the background and in order. The process's streams of Node would hold up all work
 * while a reader is slow, and end the process when there is none: neither may befall a program that keeps a lock for somebody.
 */
export class StandardStream {
  /** Settles when all is written, or is known to be in vain. */
  written: Promise<void> = Promise.resolve()

  constructor(
    private readonly descriptor: 1 | 2,
    /** What to do about a text that could not be written, before the next is tried. */
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
