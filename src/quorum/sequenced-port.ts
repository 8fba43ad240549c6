import type { Owner } from '../owner.js'
import type {
  AcquireReply,
  AcquireRequest,
  HandOverRequest,
  LockPort,
  LockState,
  News,
  ReleaseReply,
  ReleaseRequest,
  RenewRequest,
  Watch,
} from '../store.js'

/**
 * One server's port, on which what changes an owner's vote goes one command at a time. A majority's answers end a step, so the
 * next command may be made while a server has yet to carry out the one before; and a connection keeps the order of commands,
 * but not that of repetitions (a script that the server did not know is sent again, in full). A release must not overtake the
 * acquire that it ends: the vote would stay.
 */
export class SequencedPort implements LockPort {
  readonly watchesInOrder: boolean
  readonly fenced: boolean
  /** The last command of an owner for a lock, while it is under way. Never rejects. */
  readonly #underWay = new Map<string, Promise<void>>()

  constructor(private readonly port: LockPort) {
    this.watchesInOrder = port.watchesInOrder
    this.fenced = port.fenced
  }

  acquire(request: AcquireRequest): Promise<AcquireReply> {
    return this.#inTurn(request.name, [request.owner], () => this.port.acquire(request))
  }

  abandon(request: AcquireRequest): Promise<void> {
    return this.#inTurn(request.name, [request.owner], () => this.port.abandon(request))
  }

  handOver(request: HandOverRequest): Promise<AcquireReply> {
    return this.#inTurn(request.name, [request.from, request.owner], () => this.port.handOver(request))
  }

  release(request: ReleaseRequest): Promise<ReleaseReply> {
    return this.#inTurn(request.name, [request.owner], () => this.port.release(request))
  }

  renew(requests: readonly RenewRequest[]): readonly Promise<boolean>[] {
    return this.port.renew(requests)
  }

  watch(name: string, onNews: (news?: News) => void): Watch {
    return this.port.watch(name, onNews)
  }

  /** What this client has under way for that lock is in what it sees: else it would tell of the time before its own acquire. */
  inspect(name: string): Promise<LockState> {
    const before = [...this.#underWay].flatMap(([key, settled]) =>
      key.slice(key.indexOf(' ') + 1) === name ? settled : [],
    )
    const inspect = () => this.port.inspect(name)
    return before.length === 0 ? inspect() : Promise.all(before).then(inspect)
  }

  countWatchers(name: string): Promise<number> {
    return this.port.countWatchers(name)
  }

  forceUnlock(name: string): Promise<boolean> {
    return this.port.forceUnlock(name)
  }

  list(pattern: string): AsyncIterable<LockState> {
    return this.port.list(pattern)
  }

  #inTurn<Reply>(name: string, owners: readonly Owner[], send: () => Promise<Reply>): Promise<Reply> {
    const keys = owners.map((owner) => `${owner} ${name}`)
    const before = keys.flatMap((key) => this.#underWay.get(key) ?? [])
    // Nothing is waited for where nothing is under way: then commands of one moment leave together.
    const sent = before.length === 0 ? send() : Promise.all(before).then(send)
    const settled = sent.then(
      () => undefined,
      () => undefined,
    )
    for (const key of keys) this.#underWay.set(key, settled)
    void settled.then(() => {
      for (const key of keys) if (this.#underWay.get(key) === settled) this.#underWay.delete(key)
    })
    return sent
  }
}
