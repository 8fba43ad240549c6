import type { AcquireOptions, Holdfast } from '../../src/index.js'

/** What every kind that is waited for takes. */
type Wait = Pick<AcquireOptions, 'waitMs' | 'signal'>

/** What the calls below need of a kind: a way in, and the questions it answers. */
export interface Subject {
  acquire(options?: Wait): Promise<{ release(): Promise<void> }>
  tryAcquire(options?: Wait): Promise<unknown>
  /** Everything else that asks the store. */
  readonly questions: ReadonlyArray<() => Promise<unknown>>
  /** What changes its number. */
  readonly changes?: ReadonlyArray<() => Promise<unknown>>
}

/** A call, and what its time depends on: one command, its own `waitMs`, or `storeTimeoutMs` and the command under way then. */
export interface Call {
  readonly what: string
  readonly bound: 'command' | 'wait' | 'store'
  start(): Promise<unknown>
}

/** How long a call waits that has a time for it. */
export const WAIT_MS = 200

export type MakeSubject = (holdfast: Holdfast, name: string) => Promise<Subject>

const lockLike =
  (make: (holdfast: Holdfast, name: string) => ReturnType<Holdfast['lock']>): MakeSubject =>
  async (holdfast, name) => {
    const it = make(holdfast, name)
    return {
      acquire: (options) => it.acquire(options),
      tryAcquire: (options) => it.tryAcquire(options),
      questions: [() => it.isLocked(), () => it.remainingMs(), () => it.inspect(), () => it.forceUnlock()],
    }
  }

async function permits(
  semaphore: ReturnType<Holdfast['semaphore' | 'permitExpirableSemaphore']>,
  changes: NonNullable<Subject['changes']>,
): Promise<Subject> {
  await semaphore.trySetPermits(100)
  return {
    acquire: (options) => semaphore.acquire(options),
    tryAcquire: (options) => semaphore.tryAcquire(options),
    questions: [() => semaphore.availablePermits()],
    changes: [() => semaphore.trySetPermits(7), () => semaphore.addPermits(1), ...changes],
  }
}

const nothingToRelease = { release: async () => undefined }

const made: Readonly<Record<string, MakeSubject>> = {
  lock: lockLike((holdfast, name) => holdfast.lock(name)),
  fencedLock: lockLike((holdfast, name) => holdfast.fencedLock(name)),
  fairLock: lockLike((holdfast, name) => holdfast.fairLock(name)),
  readLock: lockLike((holdfast, name) => holdfast.readWriteLock(name).readLock()),
  writeLock: lockLike((holdfast, name) => holdfast.readWriteLock(name).writeLock()),
  spinLock: lockLike((holdfast, name) => holdfast.spinLock(name)),
  multiLock: async (holdfast, name) => {
    const multi = holdfast.multiLock([holdfast.lock(`${name}:a`), holdfast.lock(`${name}:b`)])
    return {
      acquire: (options) => multi.acquire(options),
      tryAcquire: (options) => multi.tryAcquire(options),
      questions: [() => multi.isLocked()],
    }
  },
  semaphore: async (holdfast, name) => {
    const it = holdfast.semaphore(name)
    return permits(it, [() => it.reducePermits(1), () => it.drainPermits(), () => it.release()])
  },
  permitExpirableSemaphore: async (holdfast, name) => {
    const [it, id] = [holdfast.permitExpirableSemaphore(name), '00'.repeat(16)]
    return permits(it, [() => it.setPermits(9), () => it.release(id), () => it.updateLeaseTime(id, 60_000)])
  },
  countDownLatch: async (holdfast, name) => {
    const latch = holdfast.countDownLatch(name)
    return {
      acquire: (options) => latch.await(options).then(() => nothingToRelease),
      tryAcquire: (options) => latch.tryAwait(options),
      questions: [() => latch.count()],
      changes: [() => latch.trySetCount(2), () => latch.countDown(), () => latch.delete()],
    }
  },
  computeOnce: async (holdfast, name) => {
    const get = (options?: Wait): Promise<number> =>
      holdfast.computeOnce(name, () => 1, { ttlMs: 60_000, ...options })
    return {
      acquire: (options) => get(options).then(() => nothingToRelease),
      tryAcquire: (options) => get({ waitMs: 0, ...options }),
      questions: [],
    }
  },
}

/** Every kind that is kept on one server. */
export const subjects = Object.entries(made)

/** Calls of one client for after the fault: for what is free, at one name together, within a hold, and the releases. */
export async function callsOf(holdfast: Holdfast, make: MakeSubject, name: string): Promise<readonly Call[]> {
  const named = (which: string): Promise<Subject> => make(holdfast, `${name}:${which}`)
  const free = await named('free')
  const crowded = await named('crowded')
  const held = await named('held')
  const hold = await held.acquire()
  return [
    { what: 'tryAcquire()', bound: 'command', start: () => free.tryAcquire() },
    { what: 'acquire({ waitMs })', bound: 'wait', start: () => free.acquire({ waitMs: WAIT_MS }) },
    { what: 'acquire()', bound: 'store', start: () => free.acquire() },
    {
      what: 'acquire({ signal }), aborted',
      bound: 'wait',
      start: () => free.acquire({ signal: AbortSignal.timeout(WAIT_MS) }),
    },
    ...[1, 2, 3, 4, 5, 6].map(
      (nth): Call => ({ what: `acquire() no. ${nth} of 6`, bound: 'store', start: () => crowded.acquire() }),
    ),
    {
      what: 'acquire({ waitMs }) of what this client holds',
      bound: 'wait',
      start: () => held.acquire({ waitMs: WAIT_MS }),
    },
    { what: 'release()', bound: 'store', start: () => hold.release() },
    ...free.questions.map(
      (start, index): Call => ({ what: `question no. ${index + 1}`, bound: 'command', start }),
    ),
    ...(free.changes ?? []).map(
      (start, index): Call => ({ what: `change no. ${index + 1}`, bound: 'store', start }),
    ),
  ]
}
