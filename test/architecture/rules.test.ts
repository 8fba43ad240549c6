/** Each rule, and each fault that hostile tests found (H), is findable by its number, each test of Redisson's locks by its name. */
import { describe, expect, test } from 'vitest'
import { filesIn } from './files.js'
import { testNamesOf } from './test-names.js'

const rules = [
  ...'O1 O2 O3 O4 O5 L1 L2 L3 L4 L5 L6 W1 W2 W3 W4 W5 W6 W7 C1 C2 C3 X1 X2'.split(' '),
  ...'J1 J2 J3 D1 D2 D3 E1 E2 E3 E4 E5 K1 K2 K3 K4 K5 K6 S1 S3 S4 S5 S6 S7 S10'.split(' '),
  ...Array.from({ length: 36 }, (_, index) => `H${index + 1}`),
]
/** The rules that show through the public API on a sound store. Faults (C2, C3, X1) are shown in tests of their own. */
const ofTheContract = 'O1 O2 O3 O4 O5 L1 L2 L3 L4 L5 L6 W1 W2 W3 W4 W5 C1 X2'.split(' ')

/**
 * Redisson's tests of its locks by their names, and how the name of the test begins that shows the same: most are of the contract, which
 * every kind keeps on every store.
 */
const shownBy: ReadonlyArray<readonly [begins: string, redissons: string]> = [
  ['a held lock is refused to another client', 'testIsLocked testIsLockedOtherThread testLockUnlock'],
  ['a held lock is refused to another client', 'testTryLockAsyncFailed testTryLockAsyncSucceed'],
  ['a held lock answers for its holder', 'testIsHeldByCurrentThread testIsHeldByCurrentThreadOtherThread'],
  ['a held lock answers for its holder and for others, to every client', 'testIsHeldByThread'],
  ['O2: sections nest three deep, and the hold count goes', 'testGetHoldCount testHoldCount testReentrancy'],
  ['O5: by another owner, another scope or another process it is a NotOwnerError, and', 'testUnlockFail'],
  ['O5: after forceUnlock it is a LockLostError, and the next owner’s hold stays as it', 'testForceUnlock'],
  ['O5: after expiry it is a LockLostError, and the next owner’s hold stays', 'testExpire testExpireWrite'],
  ['L5: without a release the lock of a client that is gone is free after its watchdog', 'testAutoExpire'],
  ['W5: waitMs bounds tryAcquire, tryLock and withLock too', 'testTryLockWait testTryLockAsyncWaitTime'],
  ['sections exclude each other, whatever client is asked and in whatever order the locks are', 'test'],
  ['holds all of its locks for one owner, and frees', 'testIsLocked testIsLockedOtherThread testLockUnlock'],
  ['holds all of its locks for one owner, and frees all', 'testSimpleLock'],
  ['lock and unlock: in the shape of', 'testIsHeldByCurrentThread testIsHeldByCurrentThreadOtherThread'],
  ['lock and unlock: in the shape of', 'testIsHeldAndIsLockedByThread testReentrantLock testReentrancy'],
  ['lock and unlock: in the shape of Redisson, each of the locks once', 'testUnlockFail testMultiLock'],
  ['O2: within its section its locks are re-entered, and it is within a section that', 'testGetHoldCount'],
  ['W4: one that is held by another: none is taken, and nothing is left', 'testTryLock'],
  ['L6: the loss of one is the loss of it; the others are given back', 'testForceUnlock testForceUnLock'],
  ['L1: the watchdog keeps all of them', 'testRenewExpiration'],
  ['L1: a lease begins when all are held, and ends for all', 'testExpire'],
  ['waits for each that is held, and gets all', 'testMultiThreads'],
  ['W4: a wait that ends gives back what it has got', 'testWaitAndLeaseTimeouts testLockUnInterruptibly'],
  ['callers that name the same locks in different orders do not deadlock', 'testConcurrency_MultiInstance'],
  ['W1: waiters of several clients all get in, one after', 'lockUnlockRLock testConcurrency_SingleInstance'],
  ['W1: waiters of several clients all', 'testConcurrency_MultiInstance testConcurrencyLoop_MultiInstance'],
  ['redisson#6844: whatever comes and goes at the same', 'tryLockUnlockRLock testConcurrencyTryLockUnLock'],
  ['many waiters of several clients: never', 'testConcurrency_MultiInstance_1_permits testBlockingAcquire'],
  ['many waiters of several clients: never more inside', 'testBlockingNAcquire testBlockingAcquireMany'],
  ['many waiters of several clients: never', 'testConcurrencyMultiPermits testConcurrencyMultiPermits2'],
  ['no number is so large that the sum could not be read any more', 'testConcurrencyLoopMax_MultiInstance'],
  ['node-redlock#64, redis-semaphore#15, #186, #208: names with and without hash tags', 'testInCluster'],
  ['faults E1, E2: a primary dies and its replica takes its place: each', 'testLockFailoverInCluster'],
  ['$what: $holding to hold, $waiting to wait for', 'testSubscriptionsPerConnection testSinglePubSub'],
  ['L5: a refused, an aborted and a timed-out acquisition', 'testLockIsNotRenewedAfterInterruptedTryLock'],
  ['W5: calls to a server that is gone end in time, and work again when it is back', 'testRedisFailed'],
  ['L4: a renewal answered "not yours" is loss at once', 'testLockAfterTimeout testReadLockAfterTimeout'],
  ['L4: a renewal answered "not yours" is loss at once, long before the', 'testWriteLockAfterTimeout'],
  ['L5: the watchdog ends with the last release, and nothing is left of it', 'testLockReentrantRenew'],
  ['L1: a hold with a lease is not renewed; when the lease ends the next waiter gets in', 'testLeaseTimeout'],
  ['W3: get it in the order in which they came', 'testMultipleLocks testConcurrency_MultiInstance_Ordering'],
  ['W3: get it in the order in which they came', 'testLockAcquiredTimeoutDrift_Descrete'],
  ['redisson#6759, #4708, #6071: everything is derived from one name: prefix, key and', 'testNameMapper'],
  ['W5, redisson#5019, #2801: a wait ends in time, with the', 'testAcquireFailedNotCalledOnRedisTimeout'],
  ['a writing section may read; a reading one may not write, and says so', 'testReadLockIsLocked'],
  ['pauses grow with each attempt in vain, up to the longest', 'testExponentialBackoff'],
  ['a factor of 1 keeps them even', 'testConstantBackoff'],
  ['%s permits are refused, and nothing has changed', 'testZero'],
  ['more permits than there ever were are refused or waited for, and are no', 'testAcquireAfterAddPermits'],
  ['semaphore: what is drained is drained once, and a debt is settled by it', 'testDrainPermits'],
  ['testReleaseManyNotExistOrExpired (H31)', 'testRelease testReleaseExpired testTryReleaseManyExpired'],
  ['a lease is made longer, shorter or endless by the id, and read', 'testUpdateLeaseTime testGetLeaseTime'],
  ['grow from section to section, handed over in the process or not, with a lease or', 'testTokenIncrease'],
  ['hand-overs and other clients have it like any other', 'testContendingThreadBlocksAndAcquiresOnRelease'],
  ['refuses its own section, on every way in and however deep, and leaves', 'testSameThreadReacquireThrows'],
  ['where two handles of one name disagree, each refuses to be', 'testCrossInstanceSameThreadReentryThrows'],
  ['names that differ only in what braces, spaces or case make of them are different locks', 'testName'],
  ['readers that wait for a writer get in together when it leaves', 'testWriteRead'],
  ['one writes, and nobody else reads or writes', 'testWriteLock'],
  ['many read together, and nobody writes meanwhile', 'testMultiRead'],
  ['redisson#1458, #2144: the time left of a hold is changed by nobody but its', 'testReadLockExpiration'],
  ["a reader's release and short lease do not shorten another's, nor lengthen", 'testReadLockLeaseTimeout'],
  ['a lease that ends on one side lets in the other', 'testReadLockLeaseTimeoutDiffThreadsWRR'],
  ['a lease that ends on one side lets in the other', 'testReadLockLeaseTimeoutDiffThreadsRRW'],
  ['a nested hold neither adds to the lease nor shortens it (L2)', 'testWriteLockExpiration'],
  ['a write whose lease has ended leaves the read of the same owner, and the reverse', 'testReadWriteTTL'],
  ['asking costs the holder nothing: no hold, no waiter and no time changes', 'testRemainTimeToLive'],
  ['L2: no order of releases shortens the time left', 'testRemainTimeToLive2'],
  ['W4: an abort ends … with the signal’s reason, and leaves nothing behind', 'testLockUninterruptibly'],
  ['L3: lost tells the lock, the owner, the reason and the cause', 'testLockListener'],
  ['S5: one that leaves without having had it holds up', 'testTryLockNonDelayed testWaitTimeoutDrift'],
  ['S5: one that leaves without having had it holds up nobody', 'testAcquireFailedTimeoutDrift_Descrete'],
  ['redisson#1104, #2099: whoever came and went before, each of the dead', 'testLockAcquiredTimeoutDrift'],
  ['a process that hears nothing is passed over at once, and is first', 'testFirstThreadDeathTimeoutDrift'],
  ['a process that hears nothing is passed over at once, and is', 'testAbandonedTimeoutDrift_Descrete'],
  ['one that does not wait gets no place, and is not let', 'testLockAcquiredBooleanTimeoutDrift_Descrete'],
  ['a read within a write goes on when the write has ended, and lets readers', 'testWriteReadReentrancy'],
  ['W1: a release by another client wakes the waiter, without waiting for the lease to', 'testTryLockAsync'],
  ['tryAcquire is a hold or null, tryLock is true or false', 'testTimedTryLockAsync'],
  ['a section has its permits as long as it runs, also when it fails', 'testReleaseAcquire'],
  ['W4: abort, timeout and close leave the number', 'testTryNAcquire testTryAcquire testTryAcquireMany'],
  ['nested acquisitions each take permits of their own', 'testAcquireAsyncMany testReleaseAsyncMany'],
  ['what a client that has gone took comes back when its lease ends, and a waiter', 'testExpireTryAcquire'],
  ['a latch lets pass all that wait when it opens, and is idle then', 'testAwaitTimeout testMultiAwait'],
  ['a latch lets pass all that wait when it opens, and is idle', 'testSingleCountDownAwait_SingleInstance'],
  ['a reader that dies is gone when its own lease', 'testExpireRead'],
]

/** Those of other classes of Redisson's, which the files of `test/redisson` have under their names. */
const mirrored: Readonly<Record<string, string>> = {
  'read-write': 'testWR',
  permits:
    'testAcquireWithoutSetPermits testReleaseWithoutPermits testTrySetPermits testAddPermits testReducePermits testReleaseIfExists ' +
    'testGetInClusterNameMapper testNotExistent testAvailablePermits testAcquiredPermits testGetPermits testExpiration ' +
    'testSetPermits testAcquire testReleaseManyExpiredDoesNotThrow testReleaseManyNotExistOrExpired',
  'count-down-latch':
    'testAwaitTimeoutFail testCountDown testDelete testDeleteFailed testTrySetCount testCount',
}

const files = (await filesIn(['test', 'src/conformance'], '.ts')).filter(
  ({ path }) => !path.startsWith('test/architecture/'),
)
const names = files.flatMap((file) => testNamesOf(file).map((name) => ({ path: file.path, name })))

describe('rules', () => {
  test.each(rules)('%s is in the name of a test', (rule) => {
    const word = new RegExp(`(^|[^\\w#])${rule}\\b`)
    expect(names.filter(({ name }) => word.test(name))).not.toEqual([])
  })

  test.each(ofTheContract)('%s begins the name of a case that every store runs', (rule) => {
    const cases = names.filter(({ path }) => /^(src\/conformance\/cases|test\/contract)\//.test(path))
    expect(cases.filter(({ name }) => name.startsWith(`${rule}: `))).not.toEqual([])
  })
})

describe('Redisson’s tests', () => {
  test.each(Object.entries(mirrored))('of %s are there, as %s', (file, wanted) => {
    const ours = names.filter(({ path }) => path.startsWith(`test/redisson/${file}`))
    // A test begins with the names of others before it says what it shows.
    const begun = ours.flatMap(({ name }) => name.split(':')[0]?.split(/\W+/))
    expect(begun).toEqual(expect.arrayContaining(wanted.split(' ')))
  })

  test.each(shownBy)('“%s” shows %s', (begins) => {
    expect(names.filter(({ name }) => name.startsWith(begins))).not.toEqual([])
  })
})
