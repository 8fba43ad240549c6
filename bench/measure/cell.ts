import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from '../drivers/commands.js'
import type { Done, Order } from '../drivers/order.js'
import type { Place } from '../drivers/place.js'
import type { Entry } from '../entry.js'
import type { Scenario } from '../scenario.js'
import { DriverProcess } from './driver-process.js'
import { type Figures, figuresOf } from './figures.js'
import { readRecords } from './records.js'
import type { ServerSide } from './server-side.js'

/** What a cell needs beside its scenario and its library. */
export interface Bench {
  readonly place: Place
  readonly server: ServerSide
  /** Where records may be written. */
  readonly folder: string
  readonly clockOffsetMs: number
}

/** What came of a cell. It is skipped where there is no server for it. */
export type Outcome =
  | { readonly outcome: 'measured'; readonly version: string; readonly figures: Figures }
  | { readonly outcome: 'unsupported' | 'absent' | 'skipped' | 'failed'; readonly why: string }

/** What starting may take beside the work itself: sixteen processes or a JVM that warms up, on a busy machine. */
const STARTING_MS = 120_000
/** So that all drivers have been told by then. */
const LEAD_MS = 30
const RECORDS_AT_MOST = 1_000_000

/** Runs one cell in processes of its own. Whatever goes wrong is its outcome. */
export async function runCell(
  scenario: Scenario,
  entry: Entry,
  commandOf: (library: string) => Command,
  bench: Bench,
): Promise<Outcome> {
  const orders = ordersFor(scenario, entry, bench)
  await bench.server.clear()
  const drivers = orders.map((order) => new DriverProcess(commandOf(order.library), order))
  const limitMs = STARTING_MS + scenario.durationMs + (orders[0]?.giveUpMs ?? 0)
  let limit: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    limit = setTimeout(() => reject(new Error(`not done after ${limitMs} ms: killed`)), limitMs)
  })
  try {
    return await Promise.race([measured(scenario, entry, drivers, orders, bench), late])
  } catch (error) {
    return { outcome: 'failed', why: error instanceof Error ? error.message : `${error}` }
  } finally {
    clearTimeout(limit)
    for (const driver of drivers) driver.kill()
    await Promise.all(orders.map(({ recordFile }) => rm(recordFile, { force: true })))
  }
}

function ordersFor(scenario: Scenario, entry: Entry, bench: Bench): Order[] {
  const id = randomUUID()
  return Array.from({ length: scenario.processes }, (_, process) => ({
    ...bench.place,
    library: entry.sides?.[process % 2 === 0 ? 0 : 1] ?? entry.name,
    scenario: scenario.kind,
    key: `bench:${scenario.name}:${id}`,
    waiters: scenario.waiters,
    sectionMs: scenario.sectionMs,
    depth: scenario.depth,
    durationMs: scenario.durationMs,
    giveUpMs: entry.slow === true ? scenario.slowGiveUpMs : scenario.giveUpMs,
    firstWaiter: process * scenario.waiters,
    recordFile: join(bench.folder, `${id}-${process}.bin`),
    recordAtMost: RECORDS_AT_MOST,
    clockOffsetMs: bench.clockOffsetMs,
    ...(scenario.warmUpCycles !== undefined && { warmUpCycles: scenario.warmUpCycles }),
  }))
}

async function measured(
  scenario: Scenario,
  entry: Entry,
  drivers: readonly DriverProcess[],
  orders: readonly Order[],
  { server }: Bench,
): Promise<Outcome> {
  const said = await Promise.all(drivers.map((driver) => driver.ready()))
  let version = ''
  for (const line of said) {
    if ('unsupported' in line) return { outcome: 'unsupported', why: line.unsupported }
    version = line.version
  }
  await server.resetCounters()
  const cpuBefore = await server.cpuMs()
  const startAt = performance.timeOrigin + performance.now() + LEAD_MS
  for (const driver of drivers) driver.go(startAt)
  const dones = await Promise.all(drivers.map((driver) => driver.done()))
  const cpuAfter = await server.cpuMs()
  const traffic = await server.traffic(entry.name)
  const commands = total(dones, (done) => done.commands) ?? traffic.commands
  const messages = total(dones, (done) => done.messages) ?? traffic.messages
  const records = await readRecords(orders.map(({ recordFile }) => recordFile))
  const giveUpMs = orders[0]?.giveUpMs ?? 0
  const figures = figuresOf(scenario, records, dones, {
    startAt,
    giveUpMs,
    commands,
    messages,
    roundTrips: total(dones, (done) => done.roundTrips),
    serverCpuMs: cpuBefore === undefined || cpuAfter === undefined ? undefined : cpuAfter - cpuBefore,
  })
  await Promise.all(drivers.map((driver) => driver.end()))
  // So that what the drivers left on the server is over before the next cell.
  await sleep(20)
  return { outcome: 'measured', version, figures }
}

/** What the drivers counted themselves, if they did. */
function total(dones: readonly Done[], count: (done: Done) => number | undefined): number | undefined {
  let sum = 0
  for (const done of dones) {
    const counted = count(done)
    if (counted === undefined) return undefined
    sum += counted
  }
  return sum
}
