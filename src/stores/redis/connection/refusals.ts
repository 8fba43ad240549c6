import { StoreError } from '../../../base/errors/errors.js'
import type { About } from '../../../port/failure.js'
import type { Link } from './link.js'

/** What a client needs to stand in lines: the keys beside a lock, and the channel of its process. */
export type Need = 'keys' | 'channel'

const HINTS: Readonly<Record<Need, string>> = {
  keys: 'Grant the ACL user the keys holdfast_line:*, holdfast_processes:* and redisson_lock_token:*, or those of its prefix (docs/wire-layout.md): without them its calls wait outside the line.',
  channel:
    'Grant the ACL user the channels holdfast:*, or those of its label (docs/wire-layout.md): without them its calls wait outside the line.',
}

/**
 * What this client needs to stand in lines, and the server's ACL refuses. Each refusal costs a command, so the client remembers it until
 * the connection breaks: other rules may hold for the next one.
 */
export class Refusals {
  readonly #refused = new Set<Need>()
  readonly #reported = new Set<Need>()
  #breaks = 0

  constructor(
    private readonly link: Pick<Link, 'breaks'>,
    private readonly onError: (error: unknown) => void,
  ) {}

  has(need: Need): boolean {
    if (this.#refused.size === 0) return false
    if (this.#breaks !== this.link.breaks) this.#refused.clear()
    return this.#refused.has(need)
  }

  /** Tells the client of each once. */
  add(need: Need, { command, lockName }: About, cause: unknown): void {
    this.#breaks = this.link.breaks
    this.#refused.add(need)
    if (this.#reported.has(need)) return
    this.#reported.add(need)
    this.onError(
      new StoreError('permission', command, { lockName, cause, transient: false, hint: HINTS[need] }),
    )
  }
}
