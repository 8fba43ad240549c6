import fc from 'fast-check'
import { expect, test } from 'vitest'
import { failureOf } from '../../src/cli/failure.js'
import { withoutAddresses } from '../../src/cli/without-addresses.js'
import { parseServerUrl } from '../../src/stores/url/server-address.js'
import { forAll } from './runs.js'

const SECRET = 's3cret'

const parts = fc.oneof(
  { weight: 3, arbitrary: fc.constant(SECRET) },
  {
    weight: 12,
    arbitrary: fc.constantFrom(
      ...['redis://', 'rediss://', 'redis-cluster://', 'redis-sentinel://', '://', 'http'],
      ...['etcd://', 'memcacheds://', 'zk://', 'user', 'host', '6379', '0', 'sentinelPassword', '%40'],
      ...'::@@/?#=&%,[] ',
    ),
  },
  { weight: 1, arbitrary: fc.string({ maxLength: 3 }) },
)

const addresses = fc
  .tuple(
    fc.constantFrom(
      ...['', 'redis://', 'redis://:', 'redis://user:', 'rediss://user:', 'etcd://', 'memcached://user:'],
    ),
    fc.array(parts),
  )
  .map(([start, rest]) => start + rest.join(''))
  .filter((text) => text.includes(SECRET))

test('H35: whatever stands in an address of a server, no message about it shows a password', () =>
  forAll(addresses, 5_000, (address) => {
    let read: ReturnType<typeof parseServerUrl>
    try {
      read = parseServerUrl(address)
    } catch (error) {
      expect(failureOf(error, undefined).message).not.toContain(SECRET)
      return
    }
    if ('url' in read) return
    // What was read as a host, or as the name of a group, is what people must be told.
    const hosts =
      'servers' in read
        ? [...read.servers, read.root ?? '']
        : [read.group ?? '', ...read.endpoints.map(({ host }) => host)]
    expect(read.shown.includes(SECRET)).toBe(hosts.join(' ').includes(SECRET))
  }))

test('H35: nor does one about the command line', () => {
  const misplaced = fc.tuple(fc.constantFrom('', '--urI=', '-u'), addresses).map((both) => both.join(''))
  forAll(misplaced, 2_000, (word) => {
    fc.pre(word.includes('@') || word.includes('://') || word.startsWith('--urI='))
    expect(withoutAddresses(`unknown option '${word}'`, ['ls', word])).not.toContain(SECRET)
  })
})
