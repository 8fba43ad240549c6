import { Redis } from 'ioredis'
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest'
import { eventually } from '../setup/eventually.js'
import { named } from './proxied-command.js'
import { RespProxy } from './proxy.js'
import { Frames, isError, newsKind, wordsOf } from './resp.js'

describe('the protocol', () => {
  const messages = [
    '*2\r\n$3\r\nGET\r\n$5\r\nk\r\ney\r\n',
    '+OK\r\n',
    '-ERR no\r\n',
    ':7\r\n',
    '$-1\r\n',
    '$0\r\n\r\n',
    '*-1\r\n',
    '*0\r\n',
    '*2\r\n*1\r\n:1\r\n$2\r\nab\r\n',
    '%1\r\n$1\r\na\r\n*1\r\n#t\r\n',
    '>3\r\n$7\r\nmessage\r\n$1\r\nc\r\n$1\r\n0\r\n',
    '_\r\n',
    ',1.5\r\n',
    '=7\r\ntxt:abc\r\n',
  ]

  test('messages are cut where they end, however the bytes arrive', () => {
    const bytes = Buffer.from(messages.join(''))
    for (let size = 1; size <= bytes.length; size += 1) {
      const frames = new Frames()
      const cut: string[] = []
      for (let at = 0; at < bytes.length; at += size) {
        for (const frame of frames.push(bytes.subarray(at, at + size))) cut.push(frame.toString())
      }
      expect(cut).toEqual(messages)
    }
  })

  test('words, errors and news are told apart', () => {
    expect(wordsOf(Buffer.from(messages[0] ?? ''))).toEqual(['GET', 'k\r\ney'])
    expect(isError(Buffer.from('-ERR no\r\n'))).toBe(true)
    expect(newsKind(Buffer.from(messages[10] ?? ''))).toBe('message')
    expect(newsKind(Buffer.from('*3\r\n$8\r\nsmessage\r\n$1\r\nc\r\n$1\r\n0\r\n'))).toBe('smessage')
    expect(newsKind(Buffer.from(messages[8] ?? ''))).toBeUndefined()
  })
})

describe('the proxy', () => {
  let proxy: RespProxy
  let direct: Redis
  const clients: Redis[] = []
  const key = `proxy:${process.pid}:${Date.now()}`

  beforeEach(async () => {
    const { host, port } = inject('servers').standalone
    proxy = await RespProxy.before({ host, port })
    direct = new Redis({ host, port })
    await direct.del(key)
  })

  afterEach(async () => {
    for (const client of clients.splice(0)) client.disconnect()
    await proxy.stop()
    await direct.del(key)
    direct.disconnect()
  })

  async function client(options = {}): Promise<Redis> {
    const made = new Redis({
      host: proxy.host,
      port: proxy.port,
      retryStrategy: () => null,
      autoResendUnfulfilledCommands: false,
      maxRetriesPerRequest: 0,
      lazyConnect: true,
      ...options,
    })
    made.on('error', () => undefined)
    clients.push(made)
    await made.connect()
    return made
  }

  test('drops the reply of a command that was carried out, and breaks the connection', async () => {
    const through = await client()
    const dropped = proxy.dropReply(named('INCR'), 'break', 2)
    expect(await through.incr(key)).toBe(1)
    await expect(through.incr(key)).rejects.toThrow()
    expect((await dropped).reply).toBe(':2\r\n')
    expect(await direct.get(key)).toBe('2')
    expect(proxy.open).toEqual([])
    expect(await (await client()).incr(key)).toBe(3)
  })

  test('a command that was refused is no match', async () => {
    const through = await client()
    await direct.lpush(key, 'a')
    void proxy.dropReply(named('INCR'))
    await expect(through.incr(key)).rejects.toThrow('WRONGTYPE')
    await direct.del(key)
    await expect(through.incr(key)).rejects.not.toThrow('WRONGTYPE')
    expect(await direct.get(key)).toBe('1')
  })

  test('drops a reply and leaves the connection silent', async () => {
    const through = await client({ commandTimeout: 100 })
    void proxy.dropReply(named('INCR'), 'silence')
    await expect(through.incr(key)).rejects.toThrow('timed out')
    await expect(through.incr(key)).rejects.toThrow('timed out')
    expect(await direct.get(key)).toBe('1')
    expect(proxy.open).toHaveLength(1)
  })

  test('holds a reply back, and those after it, and lets them go in order', async () => {
    const through = await client()
    const holding = proxy.holdReply(named('INCR'))
    const order: unknown[] = []
    const first = through.incr(key).then((reply) => order.push(reply))
    const second = through.get(key).then((reply) => order.push(reply))
    const held = await holding
    await eventually(() => proxy.commands.at(-1)?.reply)
    await (await client()).ping()
    expect(order).toEqual([])
    held.letGo()
    await Promise.all([first, second])
    expect(order).toEqual([1, '1'])
  })

  test('two replies held on one connection are let go one by one', async () => {
    const through = await client()
    const holding = [proxy.holdReply(named('INCR')), proxy.holdReply(named('INCR'))]
    const order: unknown[] = []
    const asked = [through.incr(key), through.get(key), through.incr(key)].map((reply) =>
      reply.then((value) => order.push(value)),
    )
    const held = await Promise.all(holding)
    held[0]?.letGo()
    await Promise.all(asked.slice(0, 2))
    expect(order).toEqual([1, '1'])
    held[1]?.letGo()
    await Promise.all(asked)
    expect(order).toEqual([1, '1', 2])
  })

  test('counts commands and round trips, a pipeline as one, and no news', async () => {
    for (const protocol of [2, 3] as const) {
      const through = await client({ protocol })
      const tally = proxy.tally()
      await Promise.all([through.incr(key), through.incr(key)])
      await through.get(key)
      expect(tally.labels).toEqual(['INCR', 'INCR', 'GET'])
      expect(tally.flights).toBe(2)
      await through.subscribe(key)
      await direct.publish(key, 'news')
      await through.unsubscribe(key)
      await eventually(() => proxy.connections.at(-1)?.replies === proxy.connections.at(-1)?.commands.length)
      expect(tally.flights).toBe(4)
    }
  })

  test('is a black hole to connections old and new until it heals; refuses; breaks all', async () => {
    const old = await client({ commandTimeout: 50 })
    proxy.blackHole()
    await expect(old.ping()).rejects.toThrow('timed out')
    await expect(client({ connectTimeout: 50, commandTimeout: 50 })).rejects.toThrow()
    proxy.heal()
    await expect(old.ping()).rejects.toThrow('timed out')
    const fresh = await client()
    expect(await fresh.ping()).toBe('PONG')
    proxy.refuse()
    await expect(client()).rejects.toThrow()
    expect(await fresh.ping()).toBe('PONG')
    const ended = new Promise((resolve) => fresh.once('end', resolve))
    proxy.breakAll()
    await ended
    expect(proxy.open).toEqual([])
    proxy.heal()
    expect(await (await client()).ping()).toBe('PONG')
  })
})
