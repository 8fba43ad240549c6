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

/** What Redisson tests each of its locks for. */
const commonTests = [
  'testIsLocked',
  'testIsLockedOtherThread',
  'testIsHeldByCurrentThread',
  'testIsHeldByCurrentThreadOtherThread',
  'testGetHoldCount',
  'testLockUnlock',
  'testReentrancy',
  'testUnlockFail',
  'testForceUnlock',
  'testExpire',
  'testAutoExpire',
  'testTryLockWait',
  'testConcurrency_SingleInstance',
  'testConcurrency_MultiInstance',
  'testConcurrencyLoop_MultiInstance',
  'testInCluster',
]

/** Redisson's tests by their classes, and the files of `test/redisson` that have their counterparts. */
const redissonTests: ReadonlyArray<{ of: string; files: RegExp; wanted: readonly string[] }> = [
  {
    of: 'RedissonLockTest',
    files: /^(lock|time|concurrency|subscriptions|cluster)\.test/,
    wanted: [
      ...commonTests,
      'testSubscriptionsPerConnection',
      'testSinglePubSub',
      'testLockIsNotRenewedAfterInterruptedTryLock',
      'testRedisFailed',
      'testRemainTimeToLive',
      'testRemainTimeToLive2',
      'testLockUninterruptibly',
      'testLockFailoverInCluster',
      'testConcurrencyTryLockUnLock',
      'testLockListener',
    ],
  },
  {
    of: 'RedissonLockExpirationRenewalTest',
    files: /^(renewal|read-write-.*)\.test/,
    wanted: [
      'testLockAfterTimeout',
      'testReadLockAfterTimeout',
      'testWriteLockAfterTimeout',
      'testLockReentrantRenew',
    ],
  },
  { of: 'RedissonLockHeavyTest', files: /^heavy\.test/, wanted: ['lockUnlockRLock', 'tryLockUnlockRLock'] },
  {
    of: 'RedissonFairLockTest',
    files: /^fair-lock/,
    wanted: [
      ...commonTests.filter((name) => name !== 'testInCluster'),
      'testLeaseTimeout',
      'testMultipleLocks',
      'testWaitTimeoutDrift',
      'testLockAcquiredTimeoutDrift',
      'testFirstThreadDeathTimeoutDrift',
      'testAcquireFailedTimeoutDrift_Descrete',
      'testLockAcquiredTimeoutDrift_Descrete',
      'testLockAcquiredBooleanTimeoutDrift_Descrete',
      'testAbandonedTimeoutDrift_Descrete',
      'testTryLockNonDelayed',
      'testConcurrency_MultiInstance_Ordering',
      'testNameMapper',
      'testAcquireFailedNotCalledOnRedisTimeout',
    ],
  },
  {
    of: 'RedissonReadWriteLockTest',
    files: /^read-write/,
    wanted: [
      ...commonTests.filter((name) => !['testGetHoldCount', 'testExpire', 'testTryLockWait'].includes(name)),
      ...['testHoldCount', 'testExpireWrite', 'testExpireRead'],
      'testReadLockExpiration',
      'testReadLockExpirationRenewal',
      'testName',
      'testReadLockIsLocked',
      'testWriteLockExpiration',
      'testReadLockLeaseTimeout',
      'testReadLockLeaseTimeoutDiffThreadsWRR',
      'testReadLockLeaseTimeoutDiffThreadsRRW',
      'testWR',
      'testWriteRead',
      'testWriteReadReentrancy',
      'testWriteLock',
      'testMultiRead',
      'testReadWriteTTL',
      'testMultiInstanceReadLockZombieCleanup',
      'testMultiInstanceZombieReadLockPerformance',
    ],
  },
  {
    of: 'RedissonSpinLockTest',
    files: /^spin-lock/,
    wanted: [
      ...commonTests,
      'testRedisFailed',
      'testLockUninterruptibly',
      'testTryLockAsync',
      'testTimedTryLockAsync',
      'testTryLockAsyncWaitTime',
      'testTryLockAsyncFailed',
      'testTryLockAsyncSucceed',
    ],
  },
  {
    of: 'LockOptionsTest',
    files: /^lock-options/,
    wanted: ['testExponentialBackoff', 'testConstantBackoff'],
  },
  { of: 'RedissonFencedLockTest', files: /^fenced-lock/, wanted: ['testTokenIncrease'] },
  {
    of: 'RedissonNonReentrantLockTest and RedissonNonReentrantFairLockTest',
    files: /^non-reentrant/,
    wanted: [
      'testContendingThreadBlocksAndAcquiresOnRelease',
      'testSameThreadReacquireThrows',
      'testCrossInstanceSameThreadReentryThrows',
    ],
  },
  {
    of: 'RedissonMultiLockTest',
    files: /^multi-lock/,
    wanted: ['testLockUnlock', 'testWaitAndLeaseTimeouts', 'testMultiThreads', 'test'],
  },
  {
    of: 'RedissonFasterMultiLockTest',
    files: /^faster-multi-lock/,
    wanted: [
      ...commonTests.slice(0, 5),
      ...['testSimpleLock', 'testReentrantLock', 'testReentrancy', 'testTryLock', 'testUnlockFail'],
      ...['testForceUnlock', 'testRenewExpiration', 'testExpire', 'testConcurrency_MultiInstance'],
      ...['testForceUnLock', 'testIsHeldAndIsLockedByThread', 'testLockUnInterruptibly'],
    ],
  },
  {
    of: 'the tests of reactive clients',
    files: /^explicit-owners/,
    wanted: ['testMultiLock', 'testIsHeldByThread'],
  },
  {
    of: 'RedissonSemaphoreTest',
    files: /^semaphore/,
    wanted: [
      'testZero',
      'testAcquireWithoutSetPermits',
      'testReleaseWithoutPermits',
      'testTrySetPermits',
      'testAddPermits',
      'testReducePermits',
      'testAcquireAfterAddPermits',
      'testBlockingAcquire',
      'testBlockingNAcquire',
      'testTryNAcquire',
      'testDrainPermits',
      'testReleaseAcquire',
      'testReleaseIfExists',
      'testConcurrency_SingleInstance',
      'testConcurrencyLoop_MultiInstance',
      'testConcurrency_MultiInstance_1_permits',
      'testConcurrencyLoopMax_MultiInstance',
    ],
  },
  {
    of: 'RedissonPermitExpirableSemaphoreTest',
    files: /^permit-/,
    wanted: [
      'testGetInClusterNameMapper',
      'testUpdateLeaseTime',
      'testNotExistent',
      ...['testAvailablePermits', 'testAcquiredPermits', 'testGetPermits'],
      ...['testExpiration', 'testExpire', 'testExpireTryAcquire'],
      ...['testTrySetPermits', 'testSetPermits', 'testAddPermits'],
      ...['testAcquire', 'testBlockingAcquire', 'testBlockingAcquireMany'],
      ...['testTryAcquire', 'testTryAcquireMany', 'testAcquireAsyncMany'],
      ...['testRelease', 'testReleaseAsyncMany', 'testReleaseWithoutPermits', 'testReleaseExpired'],
      'testReleaseManyExpiredDoesNotThrow',
      'testTryReleaseManyExpired',
      'testReleaseManyNotExistOrExpired',
      'testGetLeaseTime',
      ...['testConcurrencyMultiPermits', 'testConcurrencyMultiPermits2'],
      ...['testConcurrency_SingleInstance', 'testConcurrencyLoop_MultiInstance'],
    ],
  },
  {
    of: 'RedissonCountDownLatchTest',
    files: /^count-down-latch/,
    wanted: [
      ...['testAwaitTimeout', 'testAwaitTimeoutFail', 'testMultiAwait', 'testCountDown'],
      ...['testDelete', 'testDeleteFailed', 'testTrySetCount', 'testCount'],
      'testSingleCountDownAwait_SingleInstance',
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

/** The names that a test begins with: those of others, before it says what it shows. */
function namesIn(name: string): string[] {
  const [before = ''] = name.split(':')
  return before.split(/[^\w]+/)
}
