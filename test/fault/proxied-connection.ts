import { connect, type Socket } from 'node:net'
import { ProxiedCommand } from './proxied-command.js'
import { Frames, newsKind, wordsOf } from './resp.js'

/** What is to become of a reply; bytes are sent in its place. */
export type Verdict = 'deliver' | 'break' | 'silence' | 'hold' | Buffer

/**
 * One connection through the proxy. A connection cannot lose a reply and go on: then the client would take the next reply for
 * it. So it either breaks over it or is silent for good, and a reply held back holds back all that come after it.
 */
export class ProxiedConnection {
  readonly commands: ProxiedCommand[] = []
  /** Replies the client has had. What the server sent unasked does not count. */
  replies = 0
  /** How often the client sent something after it had an answer to what it sent before. */
  flights = 0
  /** Whether either side has ended it. */
  closed = false
  #server: Socket
  #silent = false
  #mute = false
  #answered = true
  /** Messages held back; each that was asked to be held starts a run of those that came after it. */
  readonly #held: Array<Array<() => void>> = []
  readonly #unanswered: ProxiedCommand[] = []

  constructor(
    readonly index: number,
    private readonly client: Socket,
    target: { readonly host: string; readonly port: number },
    private readonly judge: (command: ProxiedCommand) => Verdict,
    private readonly record: (command: ProxiedCommand) => void,
  ) {
    this.#server = connect({ host: target.host, port: target.port, allowHalfOpen: true })
    this.#server.setNoDelay(true)
    client.setNoDelay(true)
    const asked = new Frames()
    const answered = new Frames()
    client.on('data', (chunk) => {
      for (const frame of asked.push(chunk)) this.#ask(frame)
    })
    this.#server.on('data', (chunk) => {
      for (const frame of answered.push(chunk)) this.#answer(frame)
    })
    const sides = [
      [client, this.#server],
      [this.#server, client],
    ] as const
    for (const [side, other] of sides) {
      // What goes wrong on one side is shown to the other as a broken connection.
      side.on('error', () => undefined)
      side.on('close', () => this.break())
      // A side that says goodbye waits for the other's: a hung server says none, and a black hole passes none on.
      side.on('end', () => {
        this.closed = true
        if (!this.#silent) other.end()
      })
    }
  }

  get silent(): boolean {
    return this.#silent
  }

  /** From now on nothing passes in either direction, for good, and neither side is told. */
  silence(): void {
    this.#silent = true
  }

  /** From now on nothing comes from the server, for good; what the client sends arrives. */
  mute(): void {
    this.#mute = true
  }

  break(): void {
    this.closed = true
    this.client.destroy()
    this.#server.destroy()
  }

  /** Delivers the first reply that was held back, and what came after it up to the next that is held too. */
  letGo(): void {
    for (const deliver of this.#held.shift() ?? []) deliver()
  }

  #ask(frame: Buffer): void {
    if (this.#silent) return
    if (this.#answered) this.flights += 1
    this.#answered = false
    const command = new ProxiedCommand(this.index, this.flights, wordsOf(frame))
    this.commands.push(command)
    this.#unanswered.push(command)
    this.record(command)
    this.#server.write(frame)
  }

  #answer(frame: Buffer): void {
    if (this.#silent || this.#mute) return
    const command = this.#answeredBy(frame)
    if (!command) {
      this.#pass(() => this.client.write(frame))
      return
    }
    command.reply = frame.toString('utf8')
    const verdict = this.judge(command)
    switch (verdict) {
      case 'break':
        this.break()
        return
      case 'silence':
        this.silence()
        return
      case 'hold':
        this.#held.push([])
        break
      case 'deliver':
        break
    }
    this.#pass(() => {
      this.replies += 1
      this.#answered = true
      this.client.write(Buffer.isBuffer(verdict) ? verdict : frame)
    })
  }

  /** The command a message answers: the oldest that has none, unless the message was sent unasked. */
  #answeredBy(frame: Buffer): ProxiedCommand | undefined {
    const kind = newsKind(frame)
    const [oldest] = this.#unanswered
    if (kind !== undefined && oldest?.name.toLowerCase() !== kind) return undefined
    return this.#unanswered.shift()
  }

  #pass(deliver: () => void): void {
    const run = this.#held.at(-1)
    if (run) run.push(deliver)
    else deliver()
  }
}
