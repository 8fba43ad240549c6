import { existsSync } from 'node:fs'
import { LockTimeoutError, StoreError } from '../base/errors/errors.js'
import type { HoldfastOptions } from '../client/holdfast-options.js'
import { parseServerUrl, presentAddress, type ServerAddress } from '../stores/url/server-address.js'
import { exitCodes } from './exit-codes.js'
import { failureOf } from './failure.js'
import { Output } from './output.js'
import { Server } from './server.js'
import { exitCodeOfSignal, Signals } from './signals.js'

/** The options of every subcommand. */
export interface CommonFlags {
  readonly url?: string
  readonly keyPrefix?: string
  readonly json?: true
}

/** The work of a subcommand, once it has a server. */
export type Action = (server: Server, output: Output) => Promise<number>

/** One run of the program: its output, its server and its exit code. */
export class Session {
  exitCode: number = exitCodes.ok
  readonly output: Output
  #address: ServerAddress | undefined

  constructor(json: boolean) {
    this.output = new Output(json)
  }

  /** The server's name in messages, without credentials. */
  get serverName(): string {
    return this.#address?.shown ?? ''
  }

  /**
   * Runs a subcommand and leaves nothing open, whatever the outcome.
   * @param options of a client that takes locks; without them it only looks, and makes no file
   */
  async perform(flags: CommonFlags, action: Action, options?: HoldfastOptions): Promise<void> {
    const address = flags.url ? parseServerUrl(flags.url) : presentAddress()
    this.#address = address
    await using server = await Server.at(address, flags.keyPrefix ?? '', options)
    if (options === undefined && address.kind === 'sqlite' && !existsSync(address.url))
      this.output.note('no-file', `there is no file ${address.url}, so it has no locks yet`)
    try {
      this.exitCode = await action(server, this.output)
    } catch (error) {
      server.silent = isSilence(error)
      throw error
    }
  }

  /** As {@link perform}, but a signal interrupts the subcommand instead of ending the program. */
  async performUntilSignal(
    flags: CommonFlags,
    action: (server: Server, output: Output, signals: Signals) => Promise<number>,
    options?: HoldfastOptions,
  ): Promise<void> {
    using signals = new Signals()
    await this.perform(flags, (server, output) => action(server, output, signals), options)
  }

  /** Reports an error and sets the program's exit code. */
  fail(error: unknown, advice: string | undefined): number {
    const failure = failureOf(error, this.#address?.shown)
    this.output.failure(failure, error, failure.exitCode === exitCodes.usage ? advice : undefined)
    return failure.exitCode
  }
}

/** Whether the server's silence caused the error. A `LockTimeoutError` has a cause only where the server did not answer the call. */
function isSilence(error: unknown): boolean {
  if (error instanceof LockTimeoutError) return error.cause !== undefined
  return error instanceof StoreError && ['unreachable', 'timeout'].includes(error.reason)
}

/** The exit code of a watch or a question after a signal. Ctrl-C is the normal end of a watch. */
export function interrupted(signals: Signals, otherwise: number, ctrlC?: number): number {
  const { received } = signals
  if (received === undefined) return otherwise
  return received === 'SIGINT' && ctrlC !== undefined ? ctrlC : exitCodeOfSignal(received)
}
