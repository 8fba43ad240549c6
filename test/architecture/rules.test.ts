/** Each rule of the design is findable in the tests by its number, each test of Redisson's RLock by its name. */
import { describe, expect, test } from 'vitest'
import { filesIn } from './files.js'
import { testNamesOf } from './test-names.js'

const rules = [
  ...['O1', 'O2', 'O3', 'O4', 'O5'],
  ...['L1', 'L2', 'L3', 'L4', 'L5', 'L6'],
  ...['W1', 'W2', 'W3', 'W4', 'W5'],
  ...['C1', 'C2', 'C3'],
  ...['X1', 'X2'],
]

const redissonTests = {
  'tests common to its locks': [
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
  ],
  RedissonLockTest: [
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
  RedissonLockExpirationRenewalTest: ['testLockAfterTimeout', 'testLockReentrantRenew'],
  RedissonLockHeavyTest: ['lockUnlockRLock', 'tryLockUnlockRLock'],
}

const files = (await filesIn(['test'], '.ts')).filter(({ path }) => !path.startsWith('test/architecture/'))
const names = files.flatMap((file) => testNamesOf(file).map((name) => ({ path: file.path, name })))

describe('rules', () => {
  test.each(rules)('%s is in the name of a test', (rule) => {
    const word = new RegExp(`(^|[^\\w#])${rule}\\b`)
    expect(names.filter(({ name }) => word.test(name))).not.toEqual([])
  })
})

describe.each(Object.entries(redissonTests))('Redisson, %s', (_, wanted) => {
  const ours = names.filter(({ path }) => path.startsWith('test/redisson/')).map(({ name }) => name)
  test.each(wanted)('%s is mirrored', (wantedName) => {
    expect(ours.filter((name) => name.split(/[^\w]/).includes(wantedName))).not.toEqual([])
  })
})
