import { onTestFinished } from 'vitest'
import type { Owner } from '../../src/base/identity/owner.js'
import type {
  CountDownLatchPort,
  PermitExpirableSemaphorePort,
  SemaphorePort,
} from '../../src/port/kind-ports.js'
import type {
  AcquireReply,
  AcquireRequest,
  LockPort,
  News,
  ReleaseReply,
  Renewed,
} from '../../src/port/lock-port.js'
import type { Opened } from '../setup/port-client.js'

export class Ports {
  readonly semaphore: SemaphorePort
  readonly permits: PermitExpirableSemaphorePort
  readonly latch: CountDownLatchPort

  constructor(private readonly opened: Opened) {
    const { semaphore, permitExpirableSemaphore: permits, countDownLatch: latch } = opened.session
    if (!semaphore || !permits || !latch) throw new Error('it lacks a kind')
    this.semaphore = semaphore
    this.permits = permits
    this.latch = latch
  }

  async close(): Promise<void> {
    await this.opened.end()
    for (const error of this.opened.errors) throw error
  }
}

/** What a watch tells from now on. */
export async function hear(port: LockPort, name: string): Promise<Array<News | undefined>> {
  const heard: Array<News | undefined> = []
  const watch = port.watch(name, (news) => heard.push(news))
  onTestFinished(() => watch.close())
  await watch.confirmed
  return heard
}

export const LONG_MS = 600_000

/** One acquisition of permits at a port: its requests, as the core makes them. */
export class Acquisition {
  readonly owner: Owner = `${crypto.randomUUID()}:1`

  constructor(
    private readonly port: LockPort,
    private readonly name: string,
    readonly permits = 1,
    private readonly leaseMs = LONG_MS,
  ) {}

  get request(): AcquireRequest {
    const { name, owner, permits, leaseMs } = this
    return { name, owner, heldBefore: 0, leaseMs, permits }
  }

  acquire(): Promise<AcquireReply> {
    return this.port.acquire(this.request)
  }

  async granted(): Promise<this> {
    const reply = await this.acquire()
    if (reply.outcome !== 'granted')
      throw new Error(`${this.permits} of ${this.name} were to be granted: ${reply.outcome}`)
    return this
  }

  async outcome(): Promise<AcquireReply['outcome']> {
    return (await this.acquire()).outcome
  }

  release(repeated = false): Promise<ReleaseReply> {
    const { name, owner, permits } = this
    return this.port.release({ name, owner, heldBefore: 1, repeated, permits })
  }

  async renew(leaseMs: number): Promise<Renewed> {
    const { name, owner, permits } = this
    const [answer] = this.port.renew([{ name, owner, leaseMs, permits }])
    return (await answer) ?? false
  }

  abandon(): Promise<void> {
    return this.port.abandon(this.request)
  }
}

/** A name for a request that is sent once. */
export function fresh(): string {
  return crypto.randomUUID()
}
