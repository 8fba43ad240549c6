/** Each rule, and each fault that hostile tests found (H), is findable by its number, each test of Redisson's locks by its name. */
import { describe, expect, test } from 'vitest'
import { filesIn } from './files.js'
import { testNamesOf } from './test-names.js'

const rules = [
  ...['O1', 'O2', 'O3', 'O4', 'O5'],
  ...['L1', 'L2', 'L3', 'L4', 'L5', 'L6'],
  ...['W1', 'W2', 'W3', 'W4', 'W5', 'W6', 'W7'],
  ...['C1', 'C2', 'C3'],
  ...['X1', 'X2'],
  ...['J1', 'J2', 'J3', 'D1', 'D2', 'D3', 'E1', 'E2', 'E3', 'E4', 'E5'],
  ...['K1', 'K2', 'K3', 'K4', 'K5', 'K6'],
  ...['S1', 'S3', 'S4', 'S5', 'S6', 'S7', 'S10'],
  ...Array.from({ length: 36 }, (_, index) => `H${index + 1}`),
]

/** Names of Redisson's tests, and the name of the test that shows the same: of the contract for most, which every kind keeps on every store. */
type ShownBy = Readonly<Record<string, string>>

const waitTime = 'W5: waitMs bounds tryAcquire, tryLock and withLock too'
const exclusion = 'a held lock is refused to another client'
const questions = 'a held lock answers for its holder and for others, to every client'
const nesting = 'O2: sections nest three deep, and the hold count goes up and down with them'

/** What Redisson tests each of its locks for. */
const commonTests: ShownBy = {
  testIsLocked: exclusion,
  testIsLockedOtherThread: exclusion,
  testIsHeldByCurrentThread: questions,
  testIsHeldByCurrentThreadOtherThread: questions,
  testGetHoldCount: nesting,
  testHoldCount: nesting,
  testLockUnlock: exclusion,
  testReentrancy: nesting,
  testUnlockFail:
    'O5: by another owner, another scope or another process it is a NotOwnerError, and changes nothing',
  testForceUnlock: 'O5: after forceUnlock it is a LockLostError, and the next owner’s hold stays as it is',
  testExpire: 'O5: after expiry it is a LockLostError, and the next owner’s hold stays as it is',
  testAutoExpire: 'L5: without a release the lock of a client that is gone is free after its watchdog time',
  testTryLockWait: waitTime,
}

const all = 'holds all of its locks for one owner, and frees all'
const shape = 'lock and unlock: in the shape of Redisson, each of the locks once'
const lossOfOne = 'L6: the loss of one is the loss of it; the others are given back'

/** What Redisson tests its multi-locks for. */
const multiLockTests: ShownBy = {
  test: 'sections exclude each other, whatever client is asked and in whatever order the locks are listed',
  testIsLocked: all,
  testIsLockedOtherThread: all,
  testIsHeldByCurrentThread: shape,
  testIsHeldByCurrentThreadOtherThread: shape,
  testIsHeldAndIsLockedByThread: shape,
  testGetHoldCount:
    'O2: within its section its locks are re-entered, and it is within a section that holds one of them',
  testLockUnlock: all,
  testSimpleLock: all,
  testReentrantLock: shape,
  testReentrancy: shape,
  testUnlockFail: shape,
  testMultiLock: shape,
  testTryLock: 'W4: one that is held by another: none is taken, and nothing is left',
  testForceUnlock: lossOfOne,
  testForceUnLock: lossOfOne,
  testRenewExpiration: 'L1: the watchdog keeps all of them',
  testExpire: 'L1: a lease begins when all are held, and ends for all',
  testMultiThreads: 'waits for each that is held, and gets all',
  testWaitAndLeaseTimeouts:
    'W4: a wait that ends gives back what it has got meanwhile, and leaves nobody waiting',
  testLockUnInterruptibly:
    'W4: a wait that ends gives back what it has got meanwhile, and leaves nobody waiting',
  testConcurrency_MultiInstance:
    'callers that name the same locks in different orders do not deadlock, and exclude each other',
}

const interrupted = 'W4: an abort ends … with the signal’s reason, and leaves nothing behind'
const inOrder = 'W3: get it in the order in which they came'
const leaves = 'S5: one that leaves without having had it holds up nobody, wherever it stood'
const passedOver = 'a process that hears nothing is passed over at once, and is first again when it is back'
const permitsInTurn = 'many waiters of several clients: never more inside than permits, and all get in'
const permitsLeft = 'W4: abort, timeout and close leave the number right, and nothing behind'
const permitsEnd =
  'what a client that has gone took comes back when its lease ends, and a waiter gets in then'
const opened = 'a latch lets pass all that wait when it opens, and is idle then'
const oneAfterTheOther = 'W1: waiters of several clients all get in, one after the other'
const renewedInTheCrowd = 'redisson#6844: whatever comes and goes at the same time, what stays is renewed'
const subscriber = '$what: $holding to hold, $waiting to wait for however many locks'
const lostInTheStore = 'L4: a renewal answered "not yours" is loss at once, long before the deadline'
const releasedTogether =
  'testReleaseManyNotExistOrExpired (H31): one that is expired, released, unknown or no id at all spoils the release of all'

/** What Redisson tests its other locks for, and is a case of the contract here. */
const otherTests: ShownBy = {
  lockUnlockRLock: oneAfterTheOther,
  tryLockUnlockRLock: renewedInTheCrowd,
  testConcurrencyTryLockUnLock: renewedInTheCrowd,
  testConcurrency_SingleInstance: oneAfterTheOther,
  testConcurrency_MultiInstance: oneAfterTheOther,
  testConcurrencyLoop_MultiInstance: oneAfterTheOther,
  testConcurrency_MultiInstance_1_permits: permitsInTurn,
  testConcurrencyLoopMax_MultiInstance: 'no number is so large that the sum could not be read any more',
  testInCluster:
    'node-redlock#64, redis-semaphore#15, #186, #208: names with and without hash tags wake their waiters',
  testLockFailoverInCluster:
    'faults E1, E2: a primary dies and its replica takes its place: each library finds it',
  testSubscriptionsPerConnection: subscriber,
  testSinglePubSub: subscriber,
  testLockIsNotRenewedAfterInterruptedTryLock:
    'L5: a refused, an aborted and a timed-out acquisition leave no watchdog behind',
  testRedisFailed: 'W5: calls to a server that is gone end in time, and work again when it is back',
  testLockAfterTimeout: lostInTheStore,
  testReadLockAfterTimeout: lostInTheStore,
  testWriteLockAfterTimeout: lostInTheStore,
  testLockReentrantRenew: 'L5: the watchdog ends with the last release, and nothing is left of it',
  testLeaseTimeout: 'L1: a hold with a lease is not renewed; when the lease ends the next waiter gets in',
  testMultipleLocks: inOrder,
  testNameMapper:
    'redisson#6759, #4708, #6071: everything is derived from one name: prefix, key and channel agree',
  testAcquireFailedNotCalledOnRedisTimeout:
    'W5, redisson#5019, #2801: a wait ends in time, with the trouble as its cause; a late grant is given back',
  testReadLockIsLocked: 'a writing section may read; a reading one may not write, and says so',
  testExponentialBackoff: 'pauses grow with each attempt in vain, up to the longest',
  testConstantBackoff: 'a factor of 1 keeps them even',
  testZero: '%s permits are refused, and nothing has changed',
  testAcquireAfterAddPermits: 'more permits than there ever were are refused or waited for, and are no error',
  testDrainPermits: 'semaphore: what is drained is drained once, and a debt is settled by it',
  testRelease: releasedTogether,
  testReleaseExpired: releasedTogether,
  testTryReleaseManyExpired: releasedTogether,
  testUpdateLeaseTime: 'a lease is made longer, shorter or endless by the id, and read',
  testGetLeaseTime: 'a lease is made longer, shorter or endless by the id, and read',
  testTokenIncrease:
    'grow from section to section, handed over in the process or not, with a lease or under the watchdog',
  testContendingThreadBlocksAndAcquiresOnRelease: 'hand-overs and other clients have it like any other',
  testSameThreadReacquireThrows:
    'refuses its own section, on every way in and however deep, and leaves the hold as it was',
  testCrossInstanceSameThreadReentryThrows:
    'where two handles of one name disagree, each refuses to be nested in the other',
  testIsHeldByThread: questions,
  testName: 'names that differ only in what braces, spaces or case make of them are different locks',
  testWriteRead: 'readers that wait for a writer get in together when it leaves',
  testWriteLock: 'one writes, and nobody else reads or writes',
  testMultiRead: 'many read together, and nobody writes meanwhile',
  testExpireWrite: 'O5: after expiry it is a LockLostError, and the next owner’s hold stays as it is',
  testReadLockExpiration:
    'redisson#1458, #2144: the time left of a hold is changed by nobody but its own owner',
  testReadLockLeaseTimeout: "a reader's release and short lease do not shorten another's, nor lengthen it",
  testReadLockLeaseTimeoutDiffThreadsWRR: 'a lease that ends on one side lets in the other',
  testReadLockLeaseTimeoutDiffThreadsRRW: 'a lease that ends on one side lets in the other',
  testWriteLockExpiration: 'a nested hold neither adds to the lease nor shortens it (L2)',
  testReadWriteTTL: 'a write whose lease has ended leaves the read of the same owner, and the reverse',
  testTryLockAsyncFailed: exclusion,
  testTryLockAsyncSucceed: exclusion,
  testRemainTimeToLive: 'asking costs the holder nothing: no hold, no waiter and no time changes',
  testRemainTimeToLive2: 'L2: no order of releases shortens the time left',
  testLockUninterruptibly: interrupted,
  testLockListener: 'L3: lost tells the lock, the owner, the reason and the cause',
  testConcurrency_MultiInstance_Ordering: inOrder,
  testTryLockNonDelayed: leaves,
  testWaitTimeoutDrift: leaves,
  testLockAcquiredTimeoutDrift:
    'redisson#1104, #2099: whoever came and went before, each of the dead costs the one behind them one first lease',
  testFirstThreadDeathTimeoutDrift: passedOver,
  testAcquireFailedTimeoutDrift_Descrete: leaves,
  testLockAcquiredTimeoutDrift_Descrete: inOrder,
  testLockAcquiredBooleanTimeoutDrift_Descrete:
    'one that does not wait gets no place, and is not let in before those that do',
  testAbandonedTimeoutDrift_Descrete: passedOver,
  testWriteReadReentrancy:
    'a read within a write goes on when the write has ended, and lets readers in, and no writer',
  testTryLockAsync: 'W1: a release by another client wakes the waiter, without waiting for the lease to end',
  testTimedTryLockAsync: 'tryAcquire is a hold or null, tryLock is true or false',
  testTryLockAsyncWaitTime: waitTime,
  testReleaseAcquire: 'a section has its permits as long as it runs, also when it fails',
  testBlockingAcquire: permitsInTurn,
  testBlockingNAcquire: permitsInTurn,
  testBlockingAcquireMany: permitsInTurn,
  testTryNAcquire: permitsLeft,
  testTryAcquire: permitsLeft,
  testTryAcquireMany: permitsLeft,
  testAcquireAsyncMany: 'nested acquisitions each take permits of their own',
  testReleaseAsyncMany: 'nested acquisitions each take permits of their own',
  testExpireTryAcquire: permitsEnd,
  testConcurrencyMultiPermits: permitsInTurn,
  testConcurrencyMultiPermits2: permitsInTurn,
  testAwaitTimeout: opened,
  testMultiAwait: opened,
  testSingleCountDownAwait_SingleInstance: opened,
}

/** Redisson's tests by their classes, and the files of `test/redisson` that have their counterparts. */
const redissonTests: ReadonlyArray<{ of: string; files: RegExp; wanted: readonly string[] }> = [
  {
    of: 'RedissonReadWriteLockTest',
    files: /^read-write/,
    wanted: [
      ...['testExpireRead', 'testReadLockExpirationRenewal', 'testWR'],
      'testMultiInstanceReadLockZombieCleanup',
      'testMultiInstanceZombieReadLockPerformance',
    ],
  },
  {
    of: 'RedissonSemaphoreTest',
    files: /^permits/,
    wanted: [
      'testAcquireWithoutSetPermits',
      'testReleaseWithoutPermits',
      'testTrySetPermits',
      'testAddPermits',
      'testReducePermits',
      'testReleaseIfExists',
    ],
  },
  {
    of: 'RedissonPermitExpirableSemaphoreTest',
    files: /^permits/,
    wanted: [
      'testGetInClusterNameMapper',
      'testNotExistent',
      ...['testAvailablePermits', 'testAcquiredPermits', 'testGetPermits'],
      ...['testExpiration'],
      ...['testTrySetPermits', 'testSetPermits', 'testAddPermits'],
      ...['testAcquire'],
      'testReleaseManyExpiredDoesNotThrow',
      'testReleaseManyNotExistOrExpired',
    ],
  },
  {
    of: 'RedissonCountDownLatchTest',
    files: /^count-down-latch/,
    wanted: [
      ...['testAwaitTimeoutFail', 'testCountDown'],
      ...['testDelete', 'testDeleteFailed', 'testTrySetCount', 'testCount'],
    ],
  },
]

const files = (await filesIn(['test', 'src/conformance'], '.ts')).filter(
  ({ path }) => !path.startsWith('test/architecture/'),
)
const names = files.flatMap((file) => testNamesOf(file).map((name) => ({ path: file.path, name })))

describe('rules', () => {
  test.each(rules)('%s is in the name of a test', (rule) => {
    const word = new RegExp(`(^|[^\\w#])${rule}\\b`)
    expect(names.filter(({ name }) => word.test(name))).not.toEqual([])
  })
})

describe.each(redissonTests)('Redisson, $of', ({ files, wanted }) => {
  const folder = 'test/redisson/'
  const ours = names
    .filter(({ path }) => path.startsWith(folder) && files.test(path.slice(folder.length)))
    .map(({ name }) => name)
  test.each(wanted)('%s is mirrored', (wantedName) => {
    expect(ours.filter((name) => namesIn(name).includes(wantedName))).not.toEqual([])
  })
})

describe.each([
  { of: 'every lock', shownBy: commonTests },
  { of: 'multi-locks', shownBy: multiLockTests },
  { of: 'other locks', shownBy: otherTests },
])('Redisson, $of', ({ shownBy }) => {
  test.each(Object.entries(shownBy))('%s is shown by “%s”', (_, title) => {
    expect(names.map(({ name }) => name)).toContain(title)
  })
})

/** The names that a test begins with: those of others, before it says what it shows. */
function namesIn(name: string): string[] {
  const [before = ''] = name.split(':')
  return before.split(/[^\w]+/)
}
