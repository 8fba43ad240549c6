/** What watched pages cost the server, counted by the server: one of its own, since others share the usual one. */
import { once } from 'node:events'
import { createConnection } from 'node:net'
import process from 'node:process'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Holdfast, type HoldfastOptions } from '../../../src/index.js'
import { bringServer } from '../../servers/index.js'
import { duringAll } from '../../setup/during.js'
import { eventually } from '../../setup/eventually.js'
import { later } from '../../setup/later.js'
import { serve, useProgram } from '../program.js'

/** As docs/ui.md says. */
const MOST_A_SECOND = 300
const MOST_UNSEEN = 30
const SECONDS = 4

describe('holdfast ui: what it costs', () => {
  const program = useProgram()
  const undo: Array<() => unknown> = []
  const server = duringAll(() => bringServer({ flavour: 'any', args: [] }))
  const connect = (): Redis => {
    const redis = new Redis(server.port, server.host)
    undo.push(() => redis.disconnect())
    return redis
  }
  const clientOf = (options: HoldfastOptions = {}): Holdfast => {
    const holdfast = new Holdfast(connect(), options)
    undo.push(() => holdfast.close())
    return holdfast
  }
  beforeEach(() => connect().flushall())
  afterEach(async () => {
    for (const each of undo.splice(0).reverse()) await each()
  })

  /** Counts the commands that clients send, by the second; those of scripts are not sent. */
  const counted = async (): Promise<readonly number[]> => {
    // By hand: ioredis takes a line that comes with the answer for the answer to another command.
    const monitor = createConnection(server.port, server.host)
    monitor.write('MONITOR\r\n')
    await once(monitor, 'data')
    const startedAtMs = performance.now()
    const seconds = Array.from({ length: SECONDS }, () => 0)
    createInterface(monitor).on('line', (line) => {
      const second = Math.floor((performance.now() - startedAtMs) / 1_000)
      if (!/^\+[\d.]+ \[\d+ lua\]/.test(line) && second < SECONDS)
        seconds[second] = (seconds[second] ?? 0) + 1
    })
    await sleep(SECONDS * 1_000)
    monitor.destroy()
    if (process.env['HOLDFAST_FIGURES']) console.log(expect.getState().currentTestName, seconds.join(', '))
    return seconds
  }

  const hold = async (locks: number): Promise<void> => {
    const script =
      "for i = 1, ARGV[1] do redis.call('HSET', 'many:' .. i, 'f~web-1:1', 1) redis.call('PEXPIRE', 'many:' .. i, 600000) end"
    await connect().eval(script, 0, locks)
  }

  /** A page that is open until the test ends, and shows what is there. */
  const watch = async (url: string, query = ''): Promise<() => void> => {
    const closed = new AbortController()
    undo.push(() => closed.abort())
    const { body } = await fetch(`${url}events${query}`, { signal: closed.signal })
    if (!body) throw new Error('nothing is sent')
    const reader = body.pipeThrough(new TextDecoderStream()).getReader()
    for (let text = ''; !text.includes('"held":true'); ) text += (await reader.read()).value ?? ''
    const read = async (): Promise<void> => {
      while (!(await reader.read()).done);
    }
    later(read())
    return () => closed.abort()
  }

  it.each([10, 1_000, 10_000])(
    `%i locks: no second has more than ${MOST_A_SECOND} commands`,
    async (locks) => {
      await hold(locks)
      const { url } = await serve(program, server.url)
      await watch(url)
      const seconds = await counted()
      expect(Math.max(...seconds)).toBeLessThanOrEqual(MOST_A_SECOND)
      expect(Math.min(...seconds)).toBeGreaterThan(0)
    },
  )

  it(`a hundred locks of other kinds: no second has more than ${MOST_A_SECOND} commands`, async () => {
    const holdfast = clientOf()
    for (let index = 0; index < 50; index += 1) {
      await holdfast.readWriteLock(`shared:${index}`).readLock().acquire({ leaseMs: 600_000 })
      await holdfast.semaphore(`slots:${index}`).trySetPermits(3)
      await holdfast.semaphore(`slots:${index}`).acquire({ leaseMs: 600_000 })
    }
    const { url } = await serve(program, server.url)
    await watch(url)
    expect(Math.max(...(await counted()))).toBeLessThanOrEqual(MOST_A_SECOND)
  })

  it('W9: a list has no process give up what it keeps; the page of one lock does', async () => {
    const holdfast = clientOf({ lingerMs: 600_000 })
    const lock = holdfast.lock('kept')
    await eventually(async () => {
      await lock.withLock(() => undefined)
      return (await lock.inspect()).lingering
    })
    const { url } = await serve(program, server.url)
    const { body } = await fetch(`${url}events`)
    const reader = body?.pipeThrough(new TextDecoderStream()).getReader()
    // Shown after a listing, and again after a look at what it found.
    for (let pictures = 0; pictures < 3; ) {
      const { value = '' } = (await reader?.read()) ?? {}
      pictures += value.split('"state":"held or kept"').length - 1
      if (pictures > 0) expect(value).toContain('"held":1,"kept":1')
    }
    await reader?.cancel()
    expect(holdfast.census.tenures).toBe(1)
    const closed = new AbortController()
    undo.push(() => closed.abort())
    await fetch(`${url}events?name=kept`, { signal: closed.signal })
    await eventually(() => holdfast.census.tenures === 0)
  })

  it('many pages cost what one costs, with any filter no more than the bound', async () => {
    await hold(10)
    const { url } = await serve(program, server.url)
    await watch(url)
    const sum = (seconds: readonly number[]): number => seconds.reduce((all, each) => all + each, 0)
    const one = sum(await counted())
    for (let page = 0; page < 20; page += 1) await watch(url)
    expect(sum(await counted())).toBeLessThan(one * 1.5)
    await hold(1_000)
    await Promise.all([1, 2, 3, 4, 5].map((digit) => watch(url, `?filter=many:${digit}*`)))
    expect(Math.max(...(await counted()))).toBeLessThanOrEqual(MOST_A_SECOND)
  })

  it.each([10, 10_000])(
    `a history of %i locks, with no page open: no second has more than ${MOST_UNSEEN} commands`,
    async (locks) => {
      await hold(locks)
      await serve(program, server.url, ['--history', '3600'])
      await eventually(counted, (each) => Math.max(...each) > 0)
      expect(Math.max(...(await counted()))).toBeLessThanOrEqual(MOST_UNSEEN)
    },
  )

  it('nothing at all is sent while no page is open', async () => {
    await hold(1_000)
    const { url } = await serve(program, server.url)
    expect(await counted()).toEqual(Array.from({ length: SECONDS }, () => 0))
    await watch(url).then((close) => close())
    // The first count may have what was on its way when the page was closed.
    await eventually(counted, (seconds) => seconds.every((each) => each === 0))
  })
})
