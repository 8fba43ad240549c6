import type { Watch } from '../store.js'
import type { Link } from './link.js'
import { ReentrantLockPort } from './reentrant-lock.js'
import type { ReleaseChannels } from './release-channel.js'

const SILENT: Watch = { confirmed: Promise.resolve(), close: () => undefined }

/** The reentrant lock for servers and proxies without pub/sub: nothing is announced and nothing is listened to. */
export class SpinLockPort extends ReentrantLockPort {
  constructor(link: Link, channels: ReleaseChannels, keyPrefix: string, onError: (error: unknown) => void) {
    super(link, channels, keyPrefix, onError, '')
  }

  override watch(): Watch {
    return SILENT
  }

  /** Who waits cannot be seen. */
  override async countWatchers(): Promise<number> {
    return 0
  }
}
