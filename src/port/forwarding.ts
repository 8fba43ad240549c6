import type {
  AcquireReply,
  AcquireRequest,
  HandOverRequest,
  LockPort,
  LockSeen,
  News,
  Polls,
  ReleaseReply,
  ReleaseRequest,
  Renewed,
  RenewRequest,
  Watch,
} from './lock-port.js'

const DONE = Promise.resolve()

/** A port that passes every call on to another one; a subclass overrides what it does differently. */
export class ForwardingPort implements LockPort {
  constructor(protected readonly port: LockPort) {}

  get watchesInOrder(): boolean {
    return this.port.watchesInOrder
  }

  get bound(): true | undefined {
    return this.port.bound
  }

  get polls(): Polls | undefined {
    return this.port.polls
  }

  acquire(request: AcquireRequest): Promise<AcquireReply> {
    return this.port.acquire(request)
  }

  abandon(request: AcquireRequest): Promise<void> {
    return this.port.abandon(request)
  }

  handOver(request: HandOverRequest): Promise<AcquireReply> {
    return this.port.handOver(request)
  }

  release(request: ReleaseRequest): Promise<ReleaseReply> {
    return this.port.release(request)
  }

  get setTicket(): LockPort['setTicket'] {
    const { port } = this
    return port.setTicket && ((name, client, ticket) => port.setTicket?.(name, client, ticket) ?? DONE)
  }

  renew(requests: readonly RenewRequest[]): readonly Promise<Renewed>[] {
    return this.port.renew(requests)
  }

  watch(name: string, onNews: (news?: News) => void): Watch {
    return this.port.watch(name, onNews)
  }

  inspect(name: string, asks?: boolean): Promise<LockSeen> {
    return this.port.inspect(name, asks)
  }

  countWatchers(name: string): Promise<number | undefined> {
    return this.port.countWatchers(name)
  }

  forceUnlock(name: string): Promise<boolean> {
    return this.port.forceUnlock(name)
  }

  list(pattern: string): AsyncIterable<LockSeen> {
    return this.port.list(pattern)
  }
}
