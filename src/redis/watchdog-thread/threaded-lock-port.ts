import type { AcquireReply, AcquireRequest } from '../../store.js'
import type { Link } from '../link.js'
import { ReentrantLockPort } from '../reentrant-lock.js'
import type { ReleaseChannels } from '../release-channel.js'
import type { ThreadRenewals } from './thread-renewals.js'

/** The reentrant lock with its renewals in a thread, which runs before the first grant: a block may come right after that. */
export class ThreadedLockPort extends ReentrantLockPort {
  constructor(
    readonly thread: ThreadRenewals,
    link: Link,
    channels: ReleaseChannels,
    keyPrefix: string,
    onError: (error: unknown) => void,
  ) {
    super(link, channels, keyPrefix, onError)
  }

  override async acquire(request: AcquireRequest): Promise<AcquireReply> {
    const starting = this.starting()
    if (starting) await starting
    return await super.acquire(request)
  }

  protected override starting(): Promise<unknown> | undefined {
    return this.thread.start()
  }
}
