import { type Owner, pairOf } from '../../base/identity/owner.js'
import type { Schedule } from '../../base/time/schedule.js'
import { withDeadline } from '../../base/time/with-deadline.js'
import { timeoutOf } from '../../port/failure.js'
import { ForwardingPort } from '../../port/forwarding.js'
import type {
  AcquireReply,
  AcquireRequest,
  HandOverRequest,
  LockPort,
  LockState,
  ReleaseReply,
  ReleaseRequest,
} from '../../port/lock-port.js'

/**
 * One server's port. It sends the commands that change an owner's vote one at a time. A majority's answers end a step, so the next
 * command may come while a server has not carried out the one before; and a connection keeps the order of commands, but not that of
 * repetitions (a client sends a script that the server did not know again, in full). A release must not overtake the acquire that it ends:
 * the vote would stay.
 */
export class SerializedPort extends ForwardingPort {
  /** The last command of an owner for a lock, while it is under way. Never rejects. */
  readonly #underWay = new Map<string, Promise<void>>()

  constructor(
    port: LockPort,
    private readonly schedule: Schedule,
    private readonly commandTimeoutMs: number,
  ) {
    super(port)
  }

  override acquire(request: AcquireRequest): Promise<AcquireReply> {
    return this.#inTurn(request.name, [request.owner], () => this.port.acquire(request))
  }

  override abandon(request: AcquireRequest): Promise<void> {
    return this.#inTurn(request.name, [request.owner], () => this.port.abandon(request))
  }

  override handOver(request: HandOverRequest): Promise<AcquireReply> {
    return this.#inTurn(request.name, [request.from, request.owner], () => this.port.handOver(request))
  }

  override release(request: ReleaseRequest): Promise<ReleaseReply> {
    const { name, owner } = request
    const waits = this.#underWay.has(pairOf(owner, name))
    const sent = this.#inTurn(name, [owner], () => this.port.release(request))
    return waits ? this.#inTime('release', name, sent) : sent
  }

  /** Waits for this client's commands for that lock; otherwise the answer could be older than its own acquire. */
  override inspect(name: string): Promise<LockState> {
    const before = [...this.#underWay].flatMap(([key, settled]) =>
      key.slice(key.indexOf(' ') + 1) === name ? settled : [],
    )
    const inspect = () => this.port.inspect(name)
    return before.length === 0 ? inspect() : this.#inTime('inspect', name, Promise.all(before).then(inspect))
  }

  #inTurn<Reply>(name: string, owners: readonly Owner[], send: () => Promise<Reply>): Promise<Reply> {
    const keys = owners.map((owner) => pairOf(owner, name))
    const before = keys.flatMap((key) => this.#underWay.get(key) ?? [])
    // Without a command under way it does not wait, so that commands of one moment leave together.
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

  /** For a command that waits its turn: behind another at a silent server its caller would wait twice as long as for a command. */
  async #inTime<Reply>(command: string, lockName: string, sent: Promise<Reply>): Promise<Reply> {
    const reply = await withDeadline(this.schedule, this.commandTimeoutMs, sent)
    if (reply === undefined) throw timeoutOf({ command, lockName }, this.commandTimeoutMs)
    return reply
  }
}
