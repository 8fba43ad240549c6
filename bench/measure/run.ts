import { rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import process from 'node:process'
import { bringServer } from '../../test/servers/index.js'
import { entryOf } from '../catalog.js'
import { buildPrograms } from '../drivers/build.js'
import { clockOffsetMs } from '../drivers/clock.js'
import { type Command, commandOf } from '../drivers/commands.js'
import type { BlockedAnswer, HeldLocks } from '../drivers/programs.js'
import { type Bench, type Outcome, runCell } from './cell.js'
import { machineWith } from './machine.js'
import type { PlannedCell } from './plan.js'
import { blockMainThread, holdMany } from './programs.js'
import type { Answer, CellResult, Results } from './results.js'
import { ServerSide } from './server-side.js'
import { Wakefulness } from './wakefulness.js'

export interface RunOrder {
  readonly cells: readonly PlannedCell[]
  readonly rounds: number
  readonly quick: boolean
  readonly heldLocks: boolean
  readonly blocked: boolean
  /** Told of each cell as it ends. */
  readonly onCell: (cell: CellResult, done: number) => void
}

/** Runs all cells against one server that is brought for it, and the programs beside them. */
export async function runAll(order: RunOrder): Promise<Results> {
  const startedAt = new Date().toISOString()
  const from = performance.now()
  await buildPrograms()
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-bench-'))
  // However it ends. Drivers end by themselves when nobody tells them to go on.
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  // Arguments make it a server of our own even where HOLDFAST_REDIS_URL names one: it is emptied again and again.
  const server = await bringServer({ prefer: 'binary', args: ['--save', '', '--appendonly', 'no'] })
  const serverSide = new ServerSide(server.host, server.port)
  const bench: Bench = {
    host: server.host,
    port: server.port,
    server: serverSide,
    folder,
    clockOffsetMs: clockOffsetMs(),
  }
  const wakefulness = new Wakefulness()
  const cells: CellResult[] = []
  let heldLocks: Answer<HeldLocks> | undefined
  let blocked: Answer<BlockedAnswer>[] = []
  try {
    for (const planned of order.cells) {
      const cell = await runPlanned(planned, bench)
      cells.push(cell)
      order.onCell(cell, cells.length)
    }
    wakefulness.end()
    if (order.heldLocks) heldLocks = await holdMany(bench, order.quick)
    if (order.blocked) blocked = await blockMainThread(bench)
  } finally {
    wakefulness.end()
    serverSide.close()
    await server.stop()
  }
  return {
    startedAt,
    tookMs: performance.now() - from,
    rounds: order.rounds,
    quick: order.quick,
    machine: machineWith(server.version),
    cells,
    heldLocks,
    blocked,
  }
}

async function runPlanned({ scenario, entry, round }: PlannedCell, bench: Bench): Promise<CellResult> {
  const from = performance.now()
  const sides = entry.sides?.map(entryOf) ?? [entry]
  const commands = new Map<string, Command>()
  let why: string | undefined
  for (const { name, runtime } of sides) {
    const command = await commandOf(runtime)
    if (typeof command === 'string') why = command
    else commands.set(name, command)
  }
  const [first] = commands.values()
  const result: Outcome =
    why !== undefined || !first
      ? { outcome: 'absent', why: why ?? 'nothing to run' }
      : await runCell(scenario, entry, (library) => commands.get(library) ?? first, bench)
  return { scenario: scenario.name, library: entry.name, round, tookMs: performance.now() - from, result }
}
