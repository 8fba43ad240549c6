import { writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { Guard } from './guard.js'
import { freePort } from './port.js'
import { type Command, processLauncher } from './process.js'
import { Impossible, until } from './until.js'

/** A program that listens on one port. */
export interface DaemonOrder {
  readonly command: Command
  /** Its arguments, once its port is known. It runs in a folder of its own, where its files are. */
  readonly args: (port: number) => readonly string[]
  /** The files that it reads, likewise. */
  readonly files?: (port: number) => Readonly<Record<string, string>>
}

/** A server of which tests want nothing but that it runs; it lives no longer than this process. */
export class Daemon {
  private constructor(
    private readonly guard: Guard,
    readonly port: number,
  ) {}

  /** Resolves when it listens. */
  static async start({ command, args, files }: DaemonOrder): Promise<Daemon> {
    const guard = await Guard.mount()
    try {
      const port = await freePort()
      for (const [name, text] of Object.entries(files?.(port) ?? {}))
        await writeFile(join(guard.dir, name), text)
      const running = await processLauncher(command).launch({
        args: args(port),
        dir: guard.dir,
        port,
        undo: (undo) => guard.undo(undo),
      })
      const listens = async (): Promise<boolean> => {
        const words = await running.lastWords()
        if (words !== undefined) throw new Impossible(`${command[0]} ended at once:\n${words}`)
        return await accepts(port)
      }
      await until(listens, { what: `${command[0]} listens on port ${port}` })
      return new Daemon(guard, port)
    } catch (error) {
      await guard.dismiss()
      throw error
    }
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`
  }

  stop(): Promise<void> {
    return this.guard.dismiss()
  }
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    const settle = (listens: boolean): void => {
      socket.destroy()
      resolve(listens)
    }
    socket.once('connect', () => settle(true))
    socket.once('error', () => settle(false))
  })
}
