import type { Socket } from 'node:net'
import type { Verdict } from '../wire/rules.js'
import { Strand, type Weather } from '../wire/strand.js'
import { ProxiedCommand } from './proxied-command.js'
import { Frames, newsKind, wordsOf } from './resp.js'

/** What a proxy does with commands. */
export interface CommandReader extends Weather {
  record(command: ProxiedCommand): void
  judge(command: ProxiedCommand): Verdict
}

/** One connection through the proxy. Without a reply it breaks, or holds back all that come after: a client would take the next reply for it. */
export class ProxiedConnection extends Strand {
  readonly commands: ProxiedCommand[] = []
  /** How often the client sent something after it had an answer to what it sent before. */
  flights = 0
  #answered = true
  readonly #asking = new Frames()
  readonly #answering = new Frames()
  /** Messages held back; each that was asked to be held starts a run of those that came after it. */
  readonly #held: Array<Array<() => void>> = []
  readonly #unanswered: ProxiedCommand[] = []

  constructor(
    index: number,
    client: Socket,
    server: Socket,
    private readonly proxy: CommandReader,
  ) {
    super(index, client, server, proxy)
  }

  /** Delivers the first reply that was held back, and what came after it up to the next that is held too. */
  letGo(): void {
    for (const deliver of this.#held.shift() ?? []) deliver()
  }

  protected override up(chunk: Buffer): void {
    for (const frame of this.#asking.push(chunk)) this.#ask(frame)
  }

  protected override down(chunk: Buffer): void {
    for (const frame of this.#answering.push(chunk)) if (!this.silent) this.#answer(frame)
  }

  #ask(frame: Buffer): void {
    if (this.#answered) this.flights += 1
    this.#answered = false
    const command = new ProxiedCommand(this.index, this.flights, wordsOf(frame))
    this.commands.push(command)
    this.#unanswered.push(command)
    this.proxy.record(command)
    this.send('up', frame)
  }

  #answer(frame: Buffer): void {
    const command = this.#answeredBy(frame)
    if (!command) {
      this.#deliver(() => this.send('down', frame))
      return
    }
    command.reply = frame.toString('utf8')
    const verdict = this.proxy.judge(command)
    if (verdict === 'break') this.break()
    if (verdict === 'silence') this.silence()
    if (verdict === 'break' || verdict === 'silence') return
    if (verdict === 'hold') this.#held.push([])
    this.#deliver(() => {
      this.#answered = true
      this.send('down', Buffer.isBuffer(verdict) ? verdict : frame)
    })
  }

  /** The command a message answers: the oldest that has none, unless the message was sent unasked. */
  #answeredBy(frame: Buffer): ProxiedCommand | undefined {
    const kind = newsKind(frame)
    const [oldest] = this.#unanswered
    if (kind !== undefined && oldest?.name.toLowerCase() !== kind) return undefined
    return this.#unanswered.shift()
  }

  #deliver(deliver: () => void): void {
    const run = this.#held.at(-1)
    if (run) run.push(deliver)
    else deliver()
  }
}
