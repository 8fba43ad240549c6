import process from 'node:process'
import { Worker } from 'node:worker_threads'
import { brotliDecompressSync } from 'node:zlib'
import { queueMicrotask } from '../../../base/time/machine-time.js'
import type { Order, Report, ThreadSettings } from './messages.js'
import { compressed } from './source.generated.js'

/** One thread from its start to its end. */
export class ThreadSession {
  readonly #worker: Worker
  /** Orders that follow one already sent in this turn of the event loop; they go in one message. */
  #following: Order[] | undefined
  #closing: Promise<unknown> | undefined
  #error: unknown

  constructor(
    settings: ThreadSettings,
    report: (report: Report) => void,
    /** Hears that it has ended unexpectedly. It writes no more deadlines. */
    ended: (cause: unknown) => void,
  ) {
    const source = brotliDecompressSync(Buffer.from(compressed, 'base64')).toString()
    // Options for the application (loaders, instrumentation) do not concern the thread.
    const { NODE_OPTIONS: _, ...env } = process.env
    this.#worker = new Worker(source, {
      eval: true,
      name: 'holdfast-watchdog',
      workerData: settings,
      env,
      execArgv: [],
    })
    this.#worker.on('message', report)
    this.#worker.on('error', (error) => {
      this.#error = error
    })
    this.#worker.on('exit', (code) => {
      if (!this.#closing) ended(this.#error ?? new Error(`The thread ended with code ${code}.`))
    })
    // Last, because a listener for messages makes the thread count again.
    this.#worker.unref()
  }

  /**
   * The first order of a turn leaves at once, so that it arrives whatever the main thread does next. The following ones of the same turn
   * leave together, since a message costs more than its content.
   */
  send(order: Order): void {
    if (this.#following) {
      this.#following.push(order)
      return
    }
    this.#worker.postMessage([order])
    const following: Order[] = []
    this.#following = following
    queueMicrotask(() => {
      this.#following = undefined
      if (following.length > 0) this.#worker.postMessage(following)
    })
  }

  /** Ends the thread and its connections. */
  async close(): Promise<void> {
    // A caller awaits this: the process must not end before.
    this.#worker.ref()
    this.#closing ??= this.#worker.terminate()
    await this.#closing
  }
}
