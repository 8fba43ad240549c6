import process from 'node:process'
import { createLogUpdate } from 'log-update'

/** A line now and then, where no terminal can redraw it. */
const LINE_MS = 15_000
const REDRAW_MS = 1_000

/** A terminal, or anything else that is written to. */
type Stream = NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number }

/** Tells how far something is that takes long: a line that a terminal redraws each second, elsewhere a plain line now and then. */
export class Progress {
  readonly #live: ReturnType<typeof createLogUpdate> | undefined
  readonly #timer: NodeJS.Timeout

  /** @param text is asked each time. */
  constructor(stream: Stream, text: () => string | Promise<string>) {
    this.#live = stream.isTTY ? createLogUpdate(stream) : undefined
    const show = async (): Promise<void> => {
      const line = await text()
      if (this.#live) this.#live(line.slice(0, stream.columns ?? 80))
      else stream.write(`${line}\n`)
    }
    this.#timer = setInterval(() => void show(), this.#live ? REDRAW_MS : LINE_MS)
    this.#timer.unref()
  }

  stop(): void {
    clearInterval(this.#timer)
    this.#live?.clear()
  }
}

/** Does what is done once and takes long, such as fetching a server: says so, and then how long it has taken. */
export async function thisOnce<Result>(what: string, work: () => Promise<Result>): Promise<Result> {
  process.stderr.write(`holdfast: ${what}, this once\n`)
  const startedAt = performance.now()
  const seconds = (): string => ((performance.now() - startedAt) / 1_000).toFixed(0)
  const progress = new Progress(process.stderr, () => `holdfast: ${what}: ${seconds()} s`)
  try {
    return await work()
  } finally {
    progress.stop()
  }
}
