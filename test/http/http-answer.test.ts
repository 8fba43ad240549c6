/** What a web server answers to errors of Holdfast: codes, and nothing that names locks, owners or servers. */
import { expect, test } from 'vitest'
import {
  ClosedError,
  Holdfast,
  httpAnswer,
  InvalidArgumentError,
  LockLostError,
  LockTimeoutError,
  NotOwnerError,
  StaleFenceError,
  StoreError,
  TooManyWaitersError,
} from '../../src/index.js'
import { MemoryStore } from '../../src/stores/memory/index.js'

const owner = new Holdfast(new MemoryStore()).owner()
const store = (reason: 'unreachable' | 'wrong-type' | 'timeout' | 'permission' | 'read-only'): StoreError =>
  new StoreError(reason, 'EVALSHA', {
    transient: true,
    lockName: 'secret-name',
    cause: new Error('secret-host:6379'),
  })

test.each([
  [423, 'LOCK_TIMEOUT', new LockTimeoutError('secret-name', 500, { holder: owner })],
  [503, 'LOCK_TIMEOUT', new LockTimeoutError('secret-name', 500, {}, store('unreachable'))],
  [500, 'LOCK_TIMEOUT', new LockTimeoutError('secret-name', 500, {}, store('wrong-type'))],
  [503, 'LOCK_TIMEOUT', new LockTimeoutError('secret-name', 500, {}, new Error('secret-host'))],
  [409, 'LOCK_LOST', new LockLostError('secret-name', owner, 'lease-expired')],
  [409, 'STALE_FENCE', new StaleFenceError('secret-name', 1n, 2n)],
  [503, 'STORE_ERROR', store('unreachable')],
  [503, 'STORE_ERROR', store('timeout')],
  [503, 'STORE_ERROR', store('read-only')],
  [500, 'STORE_ERROR', store('permission')],
  [503, 'CLOSED', new ClosedError('secret-name')],
  [503, 'TOO_MANY_WAITERS', new TooManyWaitersError('secret-name', 5)],
  [500, 'NOT_OWNER', new NotOwnerError('secret-name', owner)],
  [500, 'INVALID_ARGUMENT', new InvalidArgumentError('name', 'secret-name', 'another')],
])('%i %s', (statusCode, code, error) => {
  const answer = httpAnswer(error)
  expect(answer).toMatchObject({ statusCode, body: { statusCode, code } })
  expect(Object.keys(answer?.headers ?? {})).toEqual([423, 503].includes(statusCode) ? ['retry-after'] : [])
  const text = JSON.stringify(answer)
  for (const hidden of ['secret', owner, owner.split(':')[0] ?? '']) expect(text).not.toContain(hidden)
})

test.each([new Error('LOCK_TIMEOUT'), { code: 'LOCK_TIMEOUT' }, undefined, null, 'text'])(
  'what is not ours is left alone: %j',
  (value) => {
    expect(httpAnswer(value)).toBeUndefined()
  },
)
