import { rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import process from 'node:process'
import { entryOf } from '../catalog.js'
import { buildPrograms } from '../drivers/build.js'
import { type Command, commandOf } from '../drivers/commands.js'
import { type Bench, type Outcome, runCell } from './cell.js'
import { loadNow, machineWith } from './machine.js'
import type { PlannedCell } from './plan.js'
import type { CellResult, ProgramAnswers, Results } from './results.js'
import { Systems } from './systems.js'
import { Wakefulness } from './wakefulness.js'

export interface RunOrder {
  readonly cells: readonly PlannedCell[]
  readonly rounds: number
  /** What is run after the cells. */
  programs(systems: Systems): Promise<ProgramAnswers>
  /** Told of each cell as it ends. */
  readonly onCell: (cell: CellResult, done: number) => void
}

/** Runs all cells, on servers that are brought for them, and the programs beside them. */
export async function runAll(order: RunOrder): Promise<Results> {
  const startedAt = new Date().toISOString()
  const from = performance.now()
  const load = loadNow()
  await buildPrograms()
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-bench-'))
  // However it ends. Drivers end by themselves when nobody tells them to go on.
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const systems = new Systems(folder)
  const wakefulness = new Wakefulness()
  const cells: CellResult[] = []
  try {
    for (const planned of order.cells) {
      const cell = await runPlanned(planned, systems, wakefulness)
      cells.push(cell)
      order.onCell(cell, cells.length)
    }
    wakefulness.end()
    const answers = await order.programs(systems)
    return {
      startedAt,
      tookMs: performance.now() - from,
      rounds: order.rounds,
      machine: machineWith(await systems.versions(), load),
      cells,
      ...answers,
    }
  } finally {
    wakefulness.end()
    await systems.stop()
  }
}

async function runPlanned(
  planned: PlannedCell,
  systems: Systems,
  wakefulness: Wakefulness,
): Promise<CellResult> {
  const from = performance.now()
  const { scenario, entry, round } = planned
  const { system = 'Redis' } = scenario
  wakefulness.begin(system)
  const bench = await systems.benchOn(system)
  const result: Outcome =
    typeof bench === 'string' ? { outcome: 'skipped', why: bench } : await runOn(bench, planned)
  return { scenario: scenario.name, library: entry.name, round, tookMs: performance.now() - from, result }
}

async function runOn(bench: Bench, { scenario, entry }: PlannedCell): Promise<Outcome> {
  const sides = entry.sides?.map(entryOf) ?? [entry]
  const commands = new Map<string, Command>()
  let why: string | undefined
  for (const { name, runtime } of sides) {
    const command = await commandOf(runtime)
    if (typeof command === 'string') why = command
    else commands.set(name, command)
  }
  const [first] = commands.values()
  return why !== undefined || !first
    ? { outcome: 'absent', why: why ?? 'nothing to run' }
    : runCell(scenario, entry, (library) => commands.get(library) ?? first, bench)
}
