import type { Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { StaleFenceError } from '../../src/base/errors/stale-fence-error.js'
import { FenceGuard } from '../../src/kinds/fencing/fence-guard.js'

/** A resource in memory that others reach over the network: a text behind a `FenceGuard`. See resource.ts for how to talk to it. */
export class TextServer {
  text = ''
  readonly #guard = new FenceGuard('text')

  answer(socket: Socket): void {
    createInterface({ input: socket }).on('line', (line) => socket.write(`${this.#take(line)}\n`))
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
