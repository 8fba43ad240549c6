/** Go's `concurrency.Mutex`, `etcdctl lock` and Holdfast stand in one line (S8), whichever of them dies or stops. */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Holdfast } from '../../src/index.js'
import { EtcdServer } from '../servers/etcd/index.js'
import { duringAll } from '../setup/during.js'
import { eventually } from '../setup/eventually.js'
import { programOf } from '../setup/programs.js'
import { GoPeer } from './go-peer.js'
import { holdfastOn } from './scene.js'
import type { Task } from './section.fixture.js'

/** Of sessions that are to end: the shortest that etcd has, and the watchdog's time that it is long enough for. */
const SHORT_TTL_SECONDS = 2
const SHORT_WATCHDOG_MS = 1_500

const server = duringAll(() => EtcdServer.start())
const go = duringAll(() => GoPeer.start([server.url], 60), 180_000)

function holdfast(watchdogMs = 30_000): Holdfast {
  return holdfastOn({ hosts: server.url, prefix: '' }, { watchdogMs })
}

async function goPeer(ttlSeconds = SHORT_TTL_SECONDS): Promise<GoPeer> {
  const peer = await GoPeer.start([server.url], ttlSeconds)
  onTestFinished(() => peer.kill())
  return peer
}

/** `etcdctl lock`: holds it from when it has said which key it has until it is told to end. */
async function etcdctlLock(name: string): Promise<{ readonly held: Promise<unknown>; end(): void }> {
  const child = await server.spawnCtl('lock', name)
  onTestFinished(() => void child.kill('SIGKILL'))
  return { held: once(linesOf(child), 'line'), end: () => child.kill('SIGINT') }
}

function linesOf(child: ChildProcess) {
  if (!child.stdout) throw new Error('its output is read')
  return createInterface({ input: child.stdout })
}

async function untilInLine(name: string, count: number): Promise<void> {
  const keys = () => server.ctl('get', '--prefix', `${name}/`, '--keys-only')
  await eventually(async () => (await keys()).split('\n').filter(Boolean).length === count)
}

/** A process with Holdfast, and what it has said. */
async function sections() {
  const name = anyName()
  const key = `${name}-number`
  const task: Task = { urls: [server.url], name, key, watchdogMs: SHORT_WATCHDOG_MS }
  const program = programOf(new URL('./section.fixture.ts', import.meta.url))
  const child = spawn(process.execPath, [program, JSON.stringify(task)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const said: string[] = []
  await once(
    linesOf(child).on('line', (line) => said.push(line)),
    'line',
  )
  const increased = (): number => said.filter((line) => line === 'increased').length
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  return { name, key, child, kill, increased }
}

const anyName = (): string => `shared-${randomUUID()}`

test('S8: what Go holds is held for Holdfast, and what Holdfast holds for Go; a release is told at once', async () => {
  const name = anyName()
  const lock = holdfast().lock(name)
  await go.order('lock', 'a', name)
  expect(await lock.tryAcquire()).toBeNull()
  expect(await lock.isLocked()).toBe(true)
  const waiting = lock.acquire()
  await untilInLine(name, 2)
  await go.order('unlock', 'a', name)
  const hold = await waiting
  const back = go.order('lock', 'a', name)
  await untilInLine(name, 2)
  await hold.release()
  await back
  expect(await lock.tryAcquire()).toBeNull()
  await go.order('unlock', 'a', name)
  await (await lock.acquire({ waitMs: 0 })).release()
})

test('S8, W9: what Holdfast keeps with nobody inside goes to Go, and to etcdctl, when they come', async () => {
  const name = anyName()
  // Longer than this test may take.
  const keeper = holdfastOn({ hosts: server.url, prefix: '' }, { watchdogMs: 240_000, lingerMs: 240_000 })
  const keep = () =>
    eventually(async () => {
      await (await keeper.lock(name).acquire()).release()
      return (await keeper.lock(name).inspect()).lingering
    })
  await keep()
  await go.order('lock', 'a', name)
  expect(keeper.census.tenures).toBe(0)
  await go.order('unlock', 'a', name)
  await keep()
  const { held, end } = await etcdctlLock(name)
  await held
  expect(keeper.census.tenures).toBe(0)
  end()
})

test('S8: what etcdctl holds is held for Holdfast, and what Holdfast holds for etcdctl', async () => {
  const name = anyName()
  const lock = holdfast().lock(name)
  const first = await etcdctlLock(name)
  await first.held
  expect(await lock.tryAcquire()).toBeNull()
  first.end()
  const hold = await lock.acquire()
  const second = await etcdctlLock(name)
  await untilInLine(name, 2)
  await hold.release()
  await second.held
  expect(await lock.tryAcquire()).toBeNull()
  second.end()
  await (await lock.acquire()).release()
})

test('S8: all get the lock in the order in which they came', async () => {
  const name = anyName()
  const first = await holdfast().lock(name).acquire()
  const order: string[] = []
  const withHoldfast = async (who: string): Promise<void> => {
    const hold = await holdfast().lock(name).acquire()
    order.push(who)
    await hold.release()
  }
  const withGo = async (who: string): Promise<void> => {
    await go.order('lock', who, name)
    order.push(who)
    await go.order('unlock', who, name)
  }
  const withEtcdctl = async (who: string): Promise<void> => {
    const { held, end } = await etcdctlLock(name)
    await held
    order.push(who)
    end()
  }
  const all = [withGo, withHoldfast, withEtcdctl, withHoldfast, withGo, withEtcdctl, withGo, withHoldfast]
  const came: Array<Promise<void>> = []
  for (const [index, use] of all.entries()) {
    came.push(use(`${use.name}-${index}`))
    await untilInLine(name, came.length + 1)
  }
  await first.release()
  await Promise.all(came)
  expect(order).toEqual(all.map((use, index) => `${use.name}-${index}`))
})

describe('who is killed', () => {
  test('S8: Go, while it holds: Holdfast has the lock when the session has ended', async () => {
    const name = anyName()
    const peer = await goPeer()
    await peer.order('lock', 'a', name)
    const waiting = holdfast().lock(name).acquire()
    await untilInLine(name, 2)
    await peer.kill()
    await (await waiting).release()
  })

  test('S8: Go, while it waits: those behind it are not held up for longer than its session', async () => {
    const name = anyName()
    const peer = await goPeer()
    const hold = await holdfast().lock(name).acquire()
    const dying = peer.order('lock', 'a', name).catch(() => 'killed')
    await untilInLine(name, 2)
    const behind = holdfast().lock(name).acquire()
    await untilInLine(name, 3)
    await peer.kill()
    expect(await dying).toBe('killed')
    await hold.release()
    await (await behind).release()
  })

  test('S8: Holdfast, in the middle of its sections: Go goes on, and no update is lost', async () => {
    const ours = await sections()
    const { name, key } = ours
    let theirs = 0
    const work = async (): Promise<void> => {
      for (; theirs < 30; theirs += 1) await go.order('increase', 'k', name, key, '1')
    }
    const working = work()
    await eventually(() => ours.increased() >= 10)
    await ours.kill()
    await working
    // One that it had written and not told.
    const told = theirs + ours.increased()
    const value = Number(await server.ctl('get', key, '--print-value-only'))
    expect(value - told).toBeGreaterThanOrEqual(0)
    expect(value - told).toBeLessThanOrEqual(1)
  })
})

test('S8: Go, stopped for longer than its session while it holds: Holdfast has the lock, and what Go unlocks afterwards is not the lock of Holdfast', async () => {
  const name = anyName()
  const peer = await goPeer()
  await peer.order('lock', 'a', name)
  const lock = holdfast().lock(name)
  const waiting = lock.acquire()
  await untilInLine(name, 2)
  peer.pause()
  const hold = await waiting
  peer.resume()
  await peer.order('unlock', 'a', name).catch(() => 'its session has ended')
  hold.assertHeld()
  expect(await holdfast().lock(name).tryAcquire()).toBeNull()
  await hold.release()
})
