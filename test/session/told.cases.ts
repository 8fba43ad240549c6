import { randomUUID } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { Holdfast, type Store } from '../../src/index.js'
import { now } from '../chaos/history/event.js'
import { until } from '../servers/until.js'
import { duringAll } from '../setup/during.js'
import { eventually } from '../setup/eventually.js'
import { Wire } from '../wire/wire.js'
import type { Task } from './holders.fixture.js'
import { Holders } from './holders.js'

/** The sessions of so many clients end, in so many processes: that many runs in all. */
const CLIENTS = 5
const PROCESSES = 4

interface Ending extends Pick<Task, 'store' | 'servers'> {
  /** Who waits for the locks, by another way. */
  readonly observer: Holdfast
  /** Has the sessions of the process end. */
  end(holders: Holders): void
  goOn(holders: Holders): void
  /** Whether the process runs meanwhile, and so is told at its time. */
  readonly runs: boolean
}

/** Each holder knows before an observer has its lock, by the clock that all processes of the machine share, and is told once. */
async function expectTold({ store, servers, observer, end, goOn, runs }: Ending): Promise<void> {
  const crews = await Promise.all(
    Array.from({ length: PROCESSES }, async () => {
      const names = Array.from({ length: CLIENTS }, () => `told-${randomUUID()}`)
      return { names, holders: await Holders.start({ store, servers, names, watchdogMs: 1_500 }) }
    }),
  )
  try {
    const seen = crews.flatMap(({ names, holders }) =>
      names.map(async (name) => {
        const hold = await observer.lock(name).acquire()
        const freeAt = now()
        await hold.release()
        return { name, holders, freeAt }
      }),
    )
    for (const { holders } of crews) end(holders)
    const losses = await Promise.all(seen)
    for (const { holders } of crews) goOn(holders)
    await until(() => losses.every(({ name, holders }) => holders.lostAt(name).length > 0), { what: 'told' })
    for (const { name, holders, freeAt } of losses) {
      expect(holders.sureUntil(name)).toBeLessThan(freeAt)
      const [lostAt = 0, ...again] = holders.lostAt(name)
      if (runs) expect(lostAt).toBeLessThan(freeAt)
      expect(again).toEqual([])
    }
    expect(losses).toHaveLength(20)
  } finally {
    await Promise.all(crews.map(({ holders }) => holders.stop()))
  }
}

/** A server whose clients have sessions. */
interface ToldTerms {
  readonly store: Task['store']
  start(): Promise<{ readonly port: number; stop(): Promise<unknown> }>
  /** How clients are told of the server at that port, and a store there. */
  address(port: number): string
  storeAt(address: string): Store
}

/** Who loses its session learns of it before anybody else has its lock, in every run; who may have missed a question lets go. */
export function toldCases({ store, start, address, storeAt }: ToldTerms): void {
  const server = duringAll(start)
  const observer = duringAll(() => new Holdfast(storeAt(address(server.port))))

  test('L3, S2: processes that are stopped past their sessions, in 20 of 20 runs', async () => {
    await expectTold({
      store,
      servers: [address(server.port)],
      observer,
      end: (holders) => holders.pause(),
      goOn: (holders) => holders.resume(),
      runs: false,
    })
  }, 60_000)

  test('L3, S1: processes that are cut off from the server, in 20 of 20 runs', async () => {
    const wire = await Wire.before({ host: '127.0.0.1', port: server.port })
    onTestFinished(() => wire.stop())
    await expectTold({
      store,
      servers: [address(wire.port)],
      observer,
      end: () => wire.silence('up', 'down'),
      goOn: () => wire.heal('lost'),
      runs: true,
    })
  }, 60_000)

  test('W9: a connection that breaks may have kept a question from it: it lets go', async () => {
    const wire = await Wire.before({ host: '127.0.0.1', port: server.port })
    onTestFinished(() => wire.stop())
    // Beyond the end of any test.
    const holdfast = new Holdfast(storeAt(address(wire.port)), { watchdogMs: 240_000, lingerMs: 240_000 })
    onTestFinished(() => holdfast.close())
    const lock = holdfast.lock('broken')
    await eventually(async () => {
      await lock.withLock(() => undefined)
      return (await lock.inspect()).lingering
    })
    wire.breakAll()
    await eventually(() => holdfast.census.tenures === 0)
  })
}
