import type { Socket } from 'node:net'
import { Rules, type Verdict } from '../wire/rules.js'
import { WireOf } from '../wire/wire.js'
import type { Match, ProxiedCommand } from './proxied-command.js'
import { type CommandReader, ProxiedConnection } from './proxied-connection.js'

/** What has passed since it was taken. */
export interface Tally {
  readonly commands: readonly ProxiedCommand[]
  /** The commands in one word each, see {@link ProxiedCommand.label}. */
  readonly labels: readonly string[]
  /** Round trips: runs of commands with no answer between them, summed over the connections. */
  readonly flights: number
}

/** A reply the proxy holds back, with all that follows it on that connection up to the next that is held. */
export interface HeldReply {
  readonly command: ProxiedCommand
  letGo(): void
}

/** A wire that reads Redis's protocol, counts what passes, and so strikes exactly the reply a fault is meant for, with the command carried out. */
export class RespProxy extends WireOf<ProxiedConnection> implements CommandReader {
  readonly commands: ProxiedCommand[] = []
  readonly #rules = new Rules<ProxiedCommand>()

  protected strand(index: number, client: Socket, server: Socket): ProxiedConnection {
    return new ProxiedConnection(index, client, server, this)
  }

  record(command: ProxiedCommand): void {
    this.commands.push(command)
  }

  judge(command: ProxiedCommand): Verdict {
    return command.applied ? this.#rules.judge(command) : 'deliver'
  }

  /** Keeps the reply of the `nth` matching command carried out from now on, and breaks or silences its connection. Resolves with the command then. */
  dropReply(match: Match, then: 'break' | 'silence' = 'break', nth = 1): Promise<ProxiedCommand> {
    return this.#rules.once(match, then, nth)
  }

  /** Holds back the reply of the next matching command that the server carries out. Resolves when it is held. */
  async holdReply(match: Match): Promise<HeldReply> {
    const command = await this.#rules.once(match, 'hold')
    return { command, letGo: () => this.connections[command.connection]?.letGo() }
  }

  /** From now on, until {@link heal}: the client gets these bytes in the place of the reply to each such command. */
  replaceReplies(match: Match, bytes: string): void {
    this.#rules.always(match, Buffer.from(bytes))
  }

  /** From now on, until {@link heal}: each such command ends its connection, as with proxies that do not know it. */
  hangUpOn(match: Match): void {
    this.#rules.always(match, 'break')
  }

  /** What was set for replies is forgotten, too. */
  override heal(held?: 'delivered' | 'lost'): void {
    this.#rules.forget()
    super.heal(held)
  }

  tally(): Tally {
    const { commands } = this
    const from = commands.length
    const flown = (): number => this.connections.reduce((sum, { flights }) => sum + flights, 0)
    const before = flown()
    return {
      get commands() {
        return commands.slice(from)
      },
      get labels() {
        return commands.slice(from).map(({ label }) => label)
      },
      get flights() {
        return flown() - before
      },
    }
  }
}
