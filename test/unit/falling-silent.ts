import { StoreError } from '../../src/base/errors/errors.js'
import type { KeptValue, ValuesPort } from '../../src/port/kind-ports.js'
import type {
  AcquireReply,
  AcquireRequest,
  HandOverRequest,
  LockState,
  ReleaseReply,
  ReleaseRequest,
} from '../../src/port/lock-port.js'
import type { VirtualClock } from '../../src/stores/memory/index.js'
import { ScriptedPort } from './scripted-port.js'

/** Grants whatever it is asked for, until it falls silent: then each command ends by its own timeout. */
export class FallingSilent extends ScriptedPort implements ValuesPort {
  /** What was sent, each with the owner or the name that it is about. */
  readonly sent: string[] = []
  #silent: (command: string) => boolean = () => false
  /** The next so many fail at once. */
  blips = 0

  constructor(
    private readonly clock: VirtualClock,
    private readonly commandTimeoutMs: number,
  ) {
    super(true)
  }

  /** @param commands those that are not answered any more; none: all */
  fallSilent(...commands: readonly string[]): void {
    this.#silent = (command) => commands.length === 0 || commands.includes(command)
  }

  recover(): void {
    this.#silent = () => false
  }

  override acquire({ owner }: AcquireRequest): Promise<AcquireReply> {
    return this.#answer('acquire', owner, { outcome: 'granted', fence: 1n })
  }

  override handOver({ owner }: HandOverRequest): Promise<AcquireReply> {
    return this.#answer('handOver', owner, { outcome: 'granted', fence: 2n })
  }

  override release({ owner }: ReleaseRequest): Promise<ReleaseReply> {
    return this.#answer('release', owner, 'released')
  }

  override abandon({ owner }: AcquireRequest): Promise<void> {
    return this.#answer('abandon', owner, undefined)
  }

  /** It keeps no values. */
  read(name: string): Promise<KeptValue | undefined> {
    return this.#answer('read', name, undefined)
  }

  override inspect(name: string): Promise<LockState> {
    return this.#answer('inspect', name, { name, owners: [], remainingMs: 0 })
  }

  keep({ name }: { readonly name: string }): Promise<boolean> {
    return this.#answer('keep', name, true)
  }

  async #answer<Reply>(command: string, about: string, reply: Reply): Promise<Reply> {
    this.sent.push(`${command} ${about}`)
    if (this.blips > 0) {
      this.blips -= 1
      throw new StoreError('unreachable', command, { transient: true })
    }
    if (!this.#silent(command)) return reply
    await new Promise<void>((resolve) => this.clock.startTimer(resolve, this.commandTimeoutMs))
    throw new StoreError('timeout', command, { transient: true })
  }
}

/** What a call came to; empty until it has ended. */
export interface End {
  at?: number
  value?: unknown
  error?: unknown
}

/** How the call ends, and when. */
export function endOf(clock: VirtualClock, work: Promise<unknown> | undefined): End {
  const end: End = {}
  work?.then(
    (value) => {
      end.at = clock.now()
      if (value !== undefined) end.value = value
    },
    (error: unknown) => {
      end.at = clock.now()
      end.error = error
    },
  )
  return end
}
