import process from 'node:process'
import { Worker } from 'node:worker_threads'
import { Deadlines } from './deadlines.js'
import type { Order, Report, ThreadSettings } from './messages.js'

/** What a thread tells while it lives. */
export interface SessionListener {
  report(report: Report): void
  /** It has ended, though nobody asked it to. What it wrote stays readable, and it writes nothing more. */
  ended(cause: unknown): void
}

/** One thread from its start to its end, and the memory shared with it. */
export class ThreadSession {
  readonly deadlines = new Deadlines()
  readonly #worker: Worker
  readonly #freeSlots: number[] = []
  #slotsGiven = 0
  /** Orders that follow one already sent in this turn of the event loop; they go in one message. */
  #following: Order[] | undefined
  #closing: Promise<unknown> | undefined
  #error: unknown

  constructor(source: string, settings: ThreadSettings, listener: SessionListener) {
    // Options meant for the application (loaders, instrumentation) are none of the thread's business.
    const { NODE_OPTIONS: _, ...env } = process.env
    this.#worker = new Worker(source, {
      eval: true,
      name: 'holdfast-watchdog',
      workerData: settings,
      env,
      execArgv: [],
    })
    this.#worker.on('message', (report: Report) => {
      if (report.kind === 'vacated') this.#freeSlots.push(...report.slots)
      else listener.report(report)
    })
    this.#worker.on('error', (error) => {
      this.#error = error
    })
    this.#worker.on('exit', (code) => {
      if (!this.#closing) listener.ended(this.#error ?? new Error(`The thread ended with code ${code}.`))
    })
    // Last, because a listener for messages makes the thread count again.
    this.#worker.unref()
  }

  /** A slot that nothing is written to. The thread tells when it is done with one (`vacated`). */
  takeSlot(): number {
    const slot = this.#freeSlots.pop()
    if (slot !== undefined) {
      this.deadlines.clear(slot)
      return slot
    }
    if (this.#slotsGiven === this.deadlines.capacity) {
      const chunk = Deadlines.newChunk()
      this.deadlines.addChunk(chunk)
      this.send({ kind: 'add-memory', chunk })
    }
    this.#slotsGiven += 1
    return this.#slotsGiven - 1
  }

  /**
   * The first order of a turn leaves at once, so that it arrives whatever the main thread does next. Those that follow before
   * anything that was awaited goes on leave together, since a message costs more than what is in it.
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
    // Somebody awaits this: the process must not end before.
    this.#worker.ref()
    this.#closing ??= this.#worker.terminate()
    await this.#closing
  }
}
