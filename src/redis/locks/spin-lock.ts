import type { Watch } from '../../ports/lock-port.js'
import { ReentrantLockPort } from './reentrant-lock.js'

const SILENT: Watch = { confirmed: Promise.resolve(), close: () => undefined }

/** The reentrant lock for servers and proxies without pub/sub: nothing is announced and nothing is listened to. */
export class SpinLockPort extends ReentrantLockPort {
  override watch(): Watch {
    return SILENT
  }

  /** Who waits cannot be seen. */
  override async countWatchers(): Promise<number> {
    return 0
  }
}
