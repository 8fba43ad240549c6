import type { HoldfastOptions } from '../options.js'
import { exitCodes } from './exit-codes.js'
import { failureOf } from './failure.js'
import { Output } from './output.js'
import { Server } from './server.js'
import { DEFAULT_URL, parseServerUrl, type ServerAddress } from './server-address.js'
import { exitCodeOfSignal, Signals } from './signals.js'

/** What every subcommand understands. */
export interface CommonFlags {
  readonly url?: string
  readonly keyPrefix?: string
  readonly json?: true
}

/** What a subcommand does, once it has a server. */
export type Action = (server: Server, output: Output) => Promise<number>

/** One run of the program: how it speaks, what server it means, and with what it ends. */
export class Session {
  exitCode: number = exitCodes.ok
  readonly output: Output
  #address: ServerAddress | undefined

  constructor(json: boolean) {
    this.output = new Output(json)
  }

  /** Carries out a subcommand and leaves nothing open, whatever comes of it. */
  async perform(flags: CommonFlags, action: Action, options: HoldfastOptions = {}): Promise<void> {
    this.#address = parseServerUrl(flags.url || DEFAULT_URL)
    await using server = await Server.at(this.#address, flags.keyPrefix ?? '', options)
    this.exitCode = await action(server, this.output)
  }

  /** As {@link perform}, for what a signal is to interrupt and not to end. */
  async performUntilSignal(
    flags: CommonFlags,
    action: (server: Server, output: Output, signals: Signals) => Promise<number>,
    options: HoldfastOptions = {},
  ): Promise<void> {
    using signals = new Signals()
    await this.perform(flags, (server, output) => action(server, output, signals), options)
  }

  /** Tells of an error, and with what the program is to end for it. */
  fail(error: unknown, advice: string | undefined): number {
    const failure = failureOf(error, this.#address?.shown)
    this.output.failure(failure, error, failure.exitCode === exitCodes.usage ? advice : undefined)
    return failure.exitCode
  }
}

/** What a watch or a question ends with when a signal came. Ctrl-C is how a watch is meant to end. */
export function interrupted(signals: Signals, otherwise: number, ctrlC?: number): number {
  const { received } = signals
  if (received === undefined) return otherwise
  return received === 'SIGINT' && ctrlC !== undefined ? ctrlC : exitCodeOfSignal(received)
}
