import type { Hold } from '../../kinds/hold.js'
import type { AcquireOptions } from '../../kinds/options/options.js'
import { exitCodes } from '../exit-codes.js'
import { CliError, usageError } from '../failure.js'
import type { Server } from '../server.js'

/** The options that choose the kind of lock. */
export interface ResourceFlags {
  readonly fair?: true
  readonly shared?: true
  readonly exclusive?: true
  readonly permits?: number
  readonly of?: number
}

/** The lock, side of a read-write lock, or permits that a command runs under. */
export interface Resource {
  readonly name: string
  /** Its name in messages. */
  readonly called: string
  acquire(options: AcquireOptions): Promise<Hold>
}

/** Checks the options before anything is sent. */
export function checkResource({ permits, of }: ResourceFlags): void {
  if (of === undefined) return
  if (permits === undefined) {
    throw usageError('--of sets how many permits a semaphore has; --permits says how many of them to take.')
  }
  if (permits > of)
    throw usageError(`--permits ${permits} --of ${of} could never succeed: take at most ${of}.`)
}

/** The option parser refuses two kinds at once. */
export async function resourceOf(server: Server, name: string, flags: ResourceFlags): Promise<Resource> {
  const { family } = server
  const called = `lock "${name}"`
  const { permits } = flags
  if (permits !== undefined) {
    await prepareSemaphore(server, name, flags.of)
    return {
      name,
      called: `semaphore "${name}"`,
      acquire: (options) => family.semaphore(name).acquire({ ...options, permits }),
    }
  }
  const lock = flags.fair
    ? family.fairLock(name)
    : flags.shared
      ? family.readWriteLock(name).readLock()
      : flags.exclusive
        ? family.readWriteLock(name).writeLock()
        : family.lock(name)
  return { name, called, acquire: (options) => lock.acquire(options) }
}

/** Without a number of permits the run would wait for ever, so this reports an error instead. */
async function prepareSemaphore({ family, catalogue }: Server, name: string, of?: number): Promise<void> {
  const semaphore = family.semaphore(name)
  if (of !== undefined) {
    await semaphore.trySetPermits(of)
    return
  }
  // This call reports failures of the server, and a key that holds something else.
  if ((await semaphore.availablePermits()) !== 0) return
  if (await catalogue.hasPermits(name)) return
  throw new CliError(
    exitCodes.notALock,
    'NO_PERMITS',
    `semaphore "${name}" has no permits set, so the command could never run. Set their number with --of.`,
    { lock: name },
  )
}
