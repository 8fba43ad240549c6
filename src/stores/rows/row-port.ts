import type { AcquireReply, HandOverRequest, LockSeen, Polls } from '../../port/lock-port.js'
import type { RowClient } from './row-client.js'
import type { Draft } from './rows.js'
import type { Shape } from './shape.js'

/** The locks of one shape for one client. `Lock`: one of them during a change of its row. */
export abstract class RowPort<Body, Lock> {
  readonly watchesInOrder = false

  constructor(
    protected readonly client: RowClient,
    protected readonly shape: Shape<Body>,
  ) {}

  get polls(): Polls | undefined {
    return this.client.polls
  }

  /** A lock that several owners may hold passes from none to another. */
  async handOver(_request: HandOverRequest): Promise<AcquireReply> {
    return { outcome: 'lost' }
  }

  /** Undefined where clients poll, since they leave no trace: only the read shows whether they do. */
  async countWatchers(name: string): Promise<number | undefined> {
    const count = await this.look(name, (lock) => this.waiting(lock))
    return this.client.inbox && count
  }

  abstract inspect(name: string): Promise<LockSeen>

  async *list(pattern: string): AsyncIterable<LockSeen> {
    for await (const name of this.client.names(this.shape.keyspace, pattern)) {
      const state = await this.inspect(name)
      if (state.owners.length > 0) yield state
    }
  }

  protected abstract lockIn(name: string, draft: Draft<Body>): Lock

  /** How many clients its row shows that wait for it. */
  protected abstract waiting(lock: Lock): number

  /** The end of each change. */
  protected abstract passOn(lock: Lock): void

  /** Derives something from the lock as it is. */
  protected look<Result>(name: string, read: (lock: Lock) => Result): Promise<Result> {
    return this.client.look(this.shape, name, (draft) => read(this.lockIn(name, draft)))
  }

  protected change<Result>(
    name: string,
    change: (lock: Lock, draft: Draft<Body>) => Result,
  ): Promise<Result> {
    return this.client.change(this.shape, name, (draft) => {
      const lock = this.lockIn(name, draft)
      const result = change(lock, draft)
      this.passOn(lock)
      return result
    })
  }
}
