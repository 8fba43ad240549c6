import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { listen } from '../servers/port.js'
import type { Match, ProxiedCommand } from './proxied-command.js'
import { ProxiedConnection, type Verdict } from './proxied-connection.js'

interface Rule {
  readonly match: Match
  readonly verdict: Verdict
  left: number
  readonly struck: (command: ProxiedCommand) => void
}

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

/**
 * Stands between client and server on the loopback interface, counts what passes and does to it what networks do. It reads the
 * protocol, so a fault strikes exactly the reply it is meant for, after the server has carried the command out.
 */
export class RespProxy {
  readonly host = '127.0.0.1'
  /** Every connection there was, the oldest first. */
  readonly connections: ProxiedConnection[] = []
  readonly commands: ProxiedCommand[] = []
  #rules: Rule[] = []
  #blackHole = false
  #muting = false
  #refusing = false
  /** How many connections it has refused. */
  refused = 0

  private constructor(
    public target: { readonly host: string; readonly port: number },
    private readonly listener: Server,
    readonly port: number,
  ) {
    listener.on('connection', (socket) => this.#accept(socket))
  }

  static async before(target: { readonly host: string; readonly port: number }): Promise<RespProxy> {
    const listener = createServer({ allowHalfOpen: true })
    return new RespProxy(target, listener, await listen(listener))
  }

  /** Connections that stand. */
  get open(): readonly ProxiedConnection[] {
    return this.connections.filter(({ closed }) => !closed)
  }

  /**
   * Keeps the reply of the `nth` matching command that the server carries out from now on, and breaks its connection or lets it
   * fall silent. Resolves with the command when that has happened.
   */
  dropReply(match: Match, then: 'break' | 'silence' = 'break', nth = 1): Promise<ProxiedCommand> {
    return this.#strike(match, then, nth)
  }

  /** Holds back the reply of the next matching command that the server carries out. Resolves when it is held. */
  async holdReply(match: Match): Promise<HeldReply> {
    const command = await this.#strike(match, 'hold', 1)
    return { command, letGo: () => this.connections[command.connection]?.letGo() }
  }

  /** From now on, until {@link heal}: the client gets these bytes in the place of the reply to each such command. */
  replaceReplies(match: Match, bytes: string): void {
    this.#rules.push({ match, verdict: Buffer.from(bytes), left: Infinity, struck: () => undefined })
  }

  /** From now on, until {@link heal}: each such command ends its connection, as with proxies that do not know it. */
  hangUpOn(match: Match): void {
    this.#rules.push({ match, verdict: 'break', left: Infinity, struck: () => undefined })
  }

  /** Nothing passes on any connection, old or new, and nobody is told. Connections made before it ends stay silent. */
  blackHole(): void {
    this.#blackHole = true
    for (const connection of this.connections) connection.silence()
  }

  /** Nothing comes from the server on any connection, old or new, and nobody is told; what clients send arrives. */
  mute(): void {
    this.#muting = true
    for (const connection of this.connections) connection.mute()
  }

  breakAll(): void {
    for (const connection of this.open) connection.break()
  }

  /** New connections lead to another server. */
  redirect(target: { readonly host: string; readonly port: number }): void {
    this.target = target
  }

  /** New connections end at once. */
  refuse(): void {
    this.#refusing = true
  }

  /** New connections are as good as ever; what was set for replies is forgotten. */
  heal(): void {
    this.#blackHole = false
    this.#muting = false
    this.#refusing = false
    this.#rules = []
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

  async stop(): Promise<void> {
    for (const connection of this.connections) connection.break()
    const closed = once(this.listener, 'close')
    this.listener.close()
    await closed
  }

  #accept(socket: Socket): void {
    if (this.#refusing) {
      this.refused += 1
      socket.destroy()
      return
    }
    const connection = new ProxiedConnection(
      this.connections.length,
      socket,
      this.target,
      (command) => this.#judge(command),
      (command) => this.commands.push(command),
    )
    this.connections.push(connection)
    if (this.#blackHole) connection.silence()
    if (this.#muting) connection.mute()
  }

  #strike(match: Match, verdict: Verdict, nth: number): Promise<ProxiedCommand> {
    return new Promise((struck) => this.#rules.push({ match, verdict, left: nth, struck }))
  }

  #judge(command: ProxiedCommand): Verdict {
    if (!command.applied) return 'deliver'
    for (const rule of this.#rules) {
      if (!rule.match(command)) continue
      if (rule.left === Infinity) return rule.verdict
      rule.left -= 1
      if (rule.left > 0) continue
      this.#rules.splice(this.#rules.indexOf(rule), 1)
      rule.struck(command)
      return rule.verdict
    }
    return 'deliver'
  }
}
