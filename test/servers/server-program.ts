import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Guard } from './guard.js'
import type { Launcher, Running, Signal } from './launch.js'
import { standsStill } from './process.js'
import { Impossible, orUndo, until } from './until.js'

/** A server program that runs here, on one port and in a folder of its own: neither outlives this process. */
export abstract class ServerProgram<Order = unknown> {
  readonly host = '127.0.0.1'
  protected abstract readonly title: string
  #running: Running | undefined

  constructor(
    protected readonly guard: Guard,
    readonly port: number,
    protected readonly order: Order,
  ) {}

  protected abstract launcher(): Launcher | Promise<Launcher>
  protected abstract args(): readonly string[]
  /** Whether it serves. It may fail until it does. */
  protected abstract answers(): Promise<unknown>

  get address(): string {
    return `${this.host}:${this.port}`
  }

  get pid(): number | undefined {
    return this.#running?.pid
  }

  get runs(): boolean {
    return this.#running !== undefined
  }

  /** Starts the process, again after `kill` on the same port and data, and waits for nothing. */
  async launch(): Promise<void> {
    const { guard, port } = this
    const launcher = await this.launcher()
    const undo = (shell: string): void => guard.undo(shell)
    this.#running = await launcher.launch({ args: this.args(), dir: guard.dir, port, undo })
  }

  async serves(): Promise<void> {
    await until(
      async () => {
        const words = await this.#running?.lastWords()
        if (words !== undefined)
          throw new Impossible(`${this.title} ended at once:\n${await this.log()}${words}`)
        return Boolean(await this.answers())
      },
      { what: `${this.title} serves at ${this.address}`, withinMs: 60_000, everyMs: 20 },
    )
  }

  async start(): Promise<void> {
    await this.launch()
    await this.serves()
  }

  /** Makes it hang: connections stay open, nothing is answered. */
  async pause(): Promise<void> {
    await this.#running?.signal('SIGSTOP')
    const { pid } = this
    // The signal has been sent; threads that run at the moment go on until they hear it.
    if (pid !== undefined) await until(() => standsStill(pid), { what: `${this.title} stands still` })
  }

  /** Ends a pause; what was sent meanwhile is then worked off. */
  async resume(): Promise<void> {
    await this.#running?.signal('SIGCONT')
  }

  /** Ends it as a crash would. Its data stays as a crash leaves it. */
  async kill(): Promise<void> {
    await this.end('SIGKILL')
  }

  /** Ends it for good and removes its folder. A second call does nothing. */
  async stop(): Promise<void> {
    await this.kill()
    await this.guard.dismiss()
  }

  protected async end(signal: Signal): Promise<void> {
    const running = this.#running
    this.#running = undefined
    if (!running) return
    await running.signal(signal)
    // A process that is paused does not hear SIGTERM.
    await running.signal('SIGCONT')
    await until(async () => (await running.lastWords()) !== undefined, { what: `${this.title} has ended` })
    await running.discard()
  }

  protected async log(): Promise<string> {
    return ''
  }
}

export async function folderWith(files: Readonly<Record<string, string>>): Promise<Guard> {
  const guard = await Guard.mount()
  for (const [name, text] of Object.entries(files)) {
    const path = join(guard.dir, name)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, text, { mode: 0o600 })
  }
  return guard
}

/** Starts it; of one that does not come to serve nothing is left. */
export async function started<Program extends ServerProgram>(program: Program): Promise<Program> {
  await orUndo(
    () => program.stop(),
    () => program.start(),
  )
  return program
}
