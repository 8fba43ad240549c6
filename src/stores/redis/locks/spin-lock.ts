import type { Watch } from '../../../port/lock-port.js'
import { ReentrantLockPort } from './reentrant-lock.js'

const SILENT: Watch = { confirmed: Promise.resolve(), close: () => undefined }

/** The reentrant lock for servers and proxies without pub/sub: it neither announces nor listens. */
export class SpinLockPort extends ReentrantLockPort {
  watch(): Watch {
    return SILENT
  }
}
