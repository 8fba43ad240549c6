import { StoreError } from '../../src/base/errors/errors.js'
import type { KeptValue, ValuesPort } from '../../src/port/kind-ports.js'
import type {
  AcquireReply,
  AcquireRequest,
  BatchPort,
  HandOverRequest,
  ReleaseReply,
  ReleaseRequest,
} from '../../src/port/lock-port.js'
import type { VirtualClock } from '../../src/stores/memory/index.js'
import { passing } from './in-virtual-time.js'
import { GRANTED, ScriptedPort } from './scripted-port.js'

/** Grants whatever it is asked for, until it falls silent: then each command ends by its own timeout. */
export class FallingSilent extends ScriptedPort implements ValuesPort {
  /** What was sent, each with the owner or the name that it is about. */
  readonly sent: string[] = []
  #silent: (command: string) => boolean = () => false
  /** The next so many fail at once. */
  blips = 0
  readonly together: BatchPort | undefined

  /** @param together whether it can be asked for several locks with one command */
  constructor(
    readonly clock: VirtualClock,
    private readonly commandTimeoutMs: number,
    together = false,
  ) {
    super(true)
    const ask = (requests: readonly AcquireRequest[]) =>
      this.#answer<readonly AcquireReply[]>('acquire', 'several', Array(requests.length).fill(GRANTED))
    if (together) this.together = { placeOf: () => 0, acquireAll: ask, acquireOne: ask }
  }

  /** @param commands those that are not answered any more; none: all */
  fallSilent(...commands: readonly string[]): void {
    this.#silent = (command) => commands.length === 0 || commands.includes(command)
  }

  recover(): void {
    this.#silent = () => false
  }

  override acquire = ({ owner }: AcquireRequest) =>
    this.#answer<AcquireReply>('acquire', owner, { outcome: 'granted', fence: 1n })

  override handOver = ({ owner }: HandOverRequest) =>
    this.#answer<AcquireReply>('handOver', owner, { outcome: 'granted', fence: 2n })

  override release = ({ owner }: ReleaseRequest) => this.#answer<ReleaseReply>('release', owner, 'released')

  override abandon = ({ owner }: AcquireRequest) => this.#answer<void>('abandon', owner, undefined)

  /** It keeps no values. */
  read = (name: string) => this.#answer<KeptValue | undefined>('read', name, undefined)

  override inspect = (name: string) => this.#answer('inspect', name, { name, owners: [], remainingMs: 0 })

  keep = ({ name }: { readonly name: string }) => this.#answer('keep', name, true)

  async #answer<Reply>(command: string, about: string, reply: Reply): Promise<Reply> {
    this.sent.push(`${command} ${about}`)
    if (this.blips > 0) {
      this.blips -= 1
      throw new StoreError('unreachable', command, { transient: true })
    }
    if (!this.#silent(command)) return reply
    await passing(this.clock, this.commandTimeoutMs)
    throw new StoreError('timeout', command, { transient: true })
  }
}
