import type { Launcher } from './launch.js'
import { accepts, freePort } from './port.js'
import { type Command, processLauncher } from './process.js'
import { folderWith, ServerProgram, started } from './server-program.js'

export interface DaemonOrder {
  readonly command: Command
  readonly args: (port: number) => readonly string[]
  readonly files?: (port: number) => Readonly<Record<string, string>>
}

/** A server of which tests want nothing but that it runs. */
export class Daemon extends ServerProgram<DaemonOrder> {
  readonly title = this.order.command[0]

  static async start(order: DaemonOrder): Promise<Daemon> {
    const port = await freePort()
    return await started(new Daemon(await folderWith(order.files?.(port) ?? {}), port, order))
  }

  get url(): string {
    return `http://${this.address}`
  }

  protected launcher(): Launcher {
    return processLauncher(this.order.command)
  }

  protected args(): readonly string[] {
    return this.order.args(this.port)
  }

  protected answers(): Promise<boolean> {
    return accepts(this.port)
  }
}
