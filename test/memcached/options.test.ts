import { expect, test } from 'vitest'
import { UnsupportedKindError } from '../../src/base/errors/unsupported-kind-error.js'
import { Holdfast, InvalidArgumentError } from '../../src/index.js'
import { addressOf } from '../../src/stores/memcached/client/address.js'
import { memcached } from '../../src/stores/memcached/index.js'
import { keyOf } from '../../src/stores/memcached/key.js'

test.each([
  ['servers', {}],
  ['servers', { servers: 'localhost' }],
  ['servers', { servers: [] }],
  ['servers', { servers: [7] }],
  ['servers', { servers: ['a b'] }],
  ['servers', { servers: ['user@host'] }],
  ['servers', { servers: ['a,b'] }],
  ['servers', { servers: ['host:0'] }],
  ['servers', { servers: ['host:65536'] }],
  ['servers', { servers: ['::1'] }],
  ['servers', { servers: ['A', 'a:11211'] }],
  ['tls', { servers: ['a'], tls: 'yes' }],
  ['tls', { servers: ['a'], tls: null }],
  ['credentials', { servers: ['a'], credentials: 'user:password' }],
  ['credentials.username', { servers: ['a'], credentials: { username: 'a b', password: 'c' } }],
  ['credentials.password', { servers: ['a'], credentials: { username: 'a', password: 'x\r\nflush_all' } }],
  ['options', { servers: ['a'], timeout: 5 }],
])('a bad %s is refused at once: %j', (argument, options) => {
  const make = (): unknown => Reflect.apply(memcached, undefined, [options])
  expect(make).toThrow(InvalidArgumentError)
  expect(make).toThrow(expect.objectContaining({ argument }))
})

test('no message tells a password', () => {
  const make = (): unknown =>
    memcached({ servers: ['a'], credentials: { username: 'a', password: 'secret with spaces' } })
  expect(make).toThrow(expect.objectContaining({ message: expect.not.stringContaining('secret') }))
})

test.each([
  ['cache', { host: 'cache', port: 11_211, text: 'cache:11211' }],
  ['Cache:7', { host: 'Cache', port: 7, text: 'cache:7' }],
  ['[::1]:8', { host: '::1', port: 8, text: '::1:8' }],
])('the address %s', (text, address) => {
  expect(addressOf(text)).toEqual(address)
})

test('every name has a key of its own that memcached takes', () => {
  const names = [
    'plain',
    'with space',
    'with\r\nflush_all',
    '鎖',
    '\0',
    'x'.repeat(200),
    'x'.repeat(201),
    'x'.repeat(500_000),
    keyOf('plain'),
    keyOf('with space'),
    keyOf('with space').slice('holdfast:'.length),
  ]
  const keys = names.map(keyOf)
  expect(new Set(keys).size).toBe(names.length)
  for (const key of keys) expect(key).toMatch(/^[\x21-\x7e]{1,250}$/)
})

test('a kind that it does not keep is refused at once, and nothing is sent', () => {
  const holdfast = new Holdfast(memcached({ servers: ['nowhere.invalid'] }))
  const locks = ['fencedLock', 'fairLock', 'spinLock', 'readWriteLock'] as const
  const others = ['semaphore', 'permitExpirableSemaphore', 'countDownLatch', 'guardedValue'] as const
  for (const kind of [...locks, ...others])
    expect(() => holdfast[kind]('a'), kind).toThrow(UnsupportedKindError)
  expect(holdfast.lock('a').name).toBe('a')
  expect(holdfast.stripedLock('a', 4).name).toBe('a')
})
