import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import { createInterface } from 'node:readline'
import { StaleFenceError } from '../../src/base/errors/stale-fence-error.js'
import { FenceGuard } from '../../src/kinds/fencing/fence-guard.js'

/** A resource in memory that others reach over the network: a text behind a `FenceGuard`. See resource.ts for how to talk to it. */
export class TextServer {
  text = ''
  readonly #guard = new FenceGuard('text')
  readonly #server: Server

  private constructor() {
    this.#server = createServer((socket) => {
      createInterface({ input: socket }).on('line', (line) => socket.write(`${this.#take(line)}\n`))
      socket.on('error', () => undefined)
    })
  }

  static async start(): Promise<TextServer> {
    const server = new TextServer()
    server.#server.listen(0, '127.0.0.1')
    await once(server.#server, 'listening')
    return server
  }

  get port(): number {
    const address = this.#server.address()
    if (typeof address !== 'object' || address === null) throw new Error('it does not listen')
    return address.port
  }

  stop(): void {
    this.#server.close()
  }

  #take(line: string): string {
    const end = line.indexOf(' ')
    const [fence, text] = [line.slice(0, end), line.slice(end + 1)]
    try {
      this.#guard.run(BigInt(fence), () => {
        this.text = text
      })
      return 'ok'
    } catch (error) {
      if (error instanceof StaleFenceError) return String(error.seen)
      throw error
    }
  }
}
