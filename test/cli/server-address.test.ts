import { describe, expect, inject, it } from 'vitest'
import { failureOf } from '../../src/cli/failure.js'
import { parseServerUrl } from '../../src/stores/url/server-address.js'
import { useProgram } from './program.js'

describe('server URLs', () => {
  it.each([
    ['redis://localhost', { kind: 'standalone', endpoints: ['localhost:6379'], tls: false, db: 0 }],
    ['redis://h:7000/5', { kind: 'standalone', endpoints: ['h:7000'], db: 5 }],
    ['REDISS://h', { kind: 'standalone', tls: true }],
    ['redis://[::1]:7', { endpoints: ['::1:7'], shown: 'redis://[::1]:7' }],
    ['redis://:secret@h', { username: undefined, password: 'secret' }],
    ['redis://u:p%40%2F%3A@h', { username: 'u', password: 'p@/:' }],
    ['redis://u:a@b:c@h:1', { password: 'a@b:c', endpoints: ['h:1'] }],
    ['rediss://user:secret@h:1/2', { shown: 'rediss://h:1/2' }],
    ['redis-cluster://a,b:7/', { kind: 'cluster', endpoints: ['a:6379', 'b:7'] }],
    ['rediss-cluster://a', { kind: 'cluster', tls: true }],
    ['redis-sentinel://a,b:7/m', { kind: 'sentinel', group: 'm', db: 0, endpoints: ['a:26379', 'b:7'] }],
    [
      'redis-sentinel://:p@a/m/4?sentinelPassword=q&sentinelUsername=s',
      { group: 'm', db: 4, password: 'p', sentinelPassword: 'q', sentinelUsername: 's' },
    ],
    ['etcd://a,b:7', { kind: 'etcd', servers: ['a:2379', 'b:7'], tls: false, prefix: undefined }],
    [
      'etcds://u:p%40@[::1]/?prefix=',
      { servers: ['[::1]:2379'], tls: true, prefix: '', shown: 'etcds://[::1]:2379' },
    ],
    [
      'memcached://u:p@ss@a,b:7',
      { kind: 'memcached', servers: ['a:11211', 'b:7'], credentials: { user: 'u', password: 'p@ss' } },
    ],
    ['zk://a,b:7', { kind: 'zookeeper', servers: ['a:2181', 'b:7'], root: undefined }],
    ['zks://u:p@a/locks/orders/', { root: '/locks/orders', tls: true, shown: 'zks://a:2181/locks/orders' }],
    ['MEMCACHEDS://a', { kind: 'memcached', tls: true, shown: 'memcacheds://a:11211' }],
    ['postgres+advisory://u:p@h/d', { kind: 'advisory', url: 'postgres://u:p@h/d' }],
    ['mysql+get-lock://u:p@h/d', { kind: 'get-lock', url: 'mysql://u:p@h/d', shown: 'mysql+get-lock://h/d' }],
  ])('%s', (url, expected) => {
    const parsed = parseServerUrl(url)
    const endpoints = 'endpoints' in parsed && parsed.endpoints.map(({ host, port }) => `${host}:${port}`)
    expect({ ...parsed, endpoints }).toMatchObject(expected)
  })

  const refused = `
    localhost:6379 http://h
    redis:// redis://h:0 redis://h:65536 redis://h:port redis://a,b redis://h/db redis://h/1/2
    redis://user@h redis://:%zz@h redis://h?timeout=3
    redis-cluster://a,/ redis-cluster://a/3 redis-sentinel://a redis-sentinel://a/
    etcd:// etcd://a/b etcd://a?lease=1 zk://a?prefix=x
    memcached://a?prefix=x memcached://a/b memcached://a,,b memcached://a:0`
  it.each(refused.trim().split(/\s+/))('%s is refused with 64, and a message without secrets', (url) => {
    const failure = (address: string): unknown => {
      try {
        return parseServerUrl(address)
      } catch (error) {
        return failureOf(error, undefined)
      }
    }
    expect(failure(url)).toMatchObject({ exitCode: 64 })
    if (url.includes('@')) return
    const message = expect.not.stringContaining('hush')
    expect(failure(url.replace('//', '//:hush-hush@'))).toMatchObject({ exitCode: 64, message })
  })
})

describe('a database that the server does not have', () => {
  const program = useProgram()
  it.each(['ls', 'inspect x', 'run x -- true'])('is not taken for database 0 by %s', async (words) => {
    const url = `${inject('servers').standalone.url}/99`
    const stderr = expect.stringMatching(
      /\/99 has no such database \(ERR DB index is out of range\)\. Check --url/,
    )
    expect(await program.run(words.split(' '), { url })).toEqual({ code: 64, stdout: '', stderr })
  })
})
