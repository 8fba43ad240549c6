import type { Done } from '../drivers/order.js'
import type { Scenario } from '../scenario.js'
import { sharesOf, type Window } from './fairness.js'
import { handOversOf } from './hand-overs.js'
import { percentile } from './percentile.js'
import type { Records } from './records.js'

/** What one cell came to. */
export interface Figures {
  readonly sections: number
  readonly elapsedMs: number
  readonly sectionsPerSecond: number
  readonly gapP50Ms: number | undefined
  readonly gapP99Ms: number | undefined
  /** Hand-overs to another process. */
  readonly crossingP50Ms: number | undefined
  readonly crossings: number
  readonly commandsPerSection: number | undefined
  /** Messages that channels brought to any process. Absent from results of before they were counted. */
  readonly messagesPerSection?: number | undefined
  /** How often a client sent something and had to wait for an answer. Counted on databases only. */
  readonly roundTripsPerSection?: number | undefined
  /** CPU time of all client processes. */
  readonly clientUsPerSection: number | undefined
  readonly serverUsPerSection: number | undefined
  readonly jain: number | undefined
  /** Sections of every other process, of all: what the second of two libraries got that share the lock. */
  readonly secondShare?: number | undefined
  readonly starved: number
  readonly worstWaitMs: number
  /** From asking to getting in. */
  readonly waitP50Ms: number | undefined
  /** Sections that began while another was going on. */
  readonly overlaps: number
  readonly gaveUp: number
  readonly maxRssMb: number
  readonly errors: readonly string[]
}

/** What was seen of a cell from outside its drivers. */
export interface Seen {
  readonly startAt: number
  readonly giveUpMs: number
  /** `undefined`, here and below, where neither the drivers nor the server can tell. */
  readonly commands: number | undefined
  readonly messages: number | undefined
  readonly roundTrips?: number | undefined
  readonly serverCpuMs: number | undefined
}

export function figuresOf(scenario: Scenario, records: Records, dones: readonly Done[], seen: Seen): Figures {
  const sections = dones.reduce((sum, done) => sum + done.sections, 0)
  const gaveUp = dones.reduce((sum, done) => sum + done.gaveUp, 0)
  const window = windowOf(scenario, records, gaveUp, seen)
  const contended = scenario.kind === 'burst' || scenario.kind === 'loop'
  const waiters = scenario.processes * (contended || scenario.kind === 'keys' ? scenario.waiters : 1)
  const shares = sharesOf(records, waiters, window)
  const handOvers = contended ? handOversOf(records, window.to) : undefined
  // Records end where their file does, so where they are full the drivers' own count stands for them.
  const counted =
    records.count < sections ? sections : shares.perWaiter.reduce((sum, share) => sum + share, 0)
  const elapsedMs =
    records.count < sections ? Math.max(...dones.map((done) => done.elapsedMs)) : window.to - window.from
  const cpuMs = dones.reduce((sum, done) => sum + done.cpuMs, 0)
  const perSection = (amount: number | undefined): number | undefined =>
    amount === undefined || sections === 0 ? undefined : amount / sections
  return {
    sections,
    elapsedMs,
    sectionsPerSecond: elapsedMs > 0 ? (counted * 1_000) / elapsedMs : 0,
    gapP50Ms: handOvers && percentile(handOvers.gapsMs, 0.5),
    gapP99Ms: handOvers && percentile(handOvers.gapsMs, 0.99),
    crossingP50Ms: handOvers && percentile(handOvers.betweenProcessesMs, 0.5),
    crossings: handOvers?.betweenProcessesMs.length ?? 0,
    commandsPerSection: perSection(seen.commands),
    messagesPerSection: perSection(seen.messages),
    roundTripsPerSection: perSection(seen.roundTrips),
    clientUsPerSection: perSection(cpuMs * 1_000),
    serverUsPerSection: perSection(seen.serverCpuMs && seen.serverCpuMs * 1_000),
    jain: contended ? shares.jain : undefined,
    secondShare: contended ? secondShareOf(scenario, shares.perWaiter) : undefined,
    starved: contended ? shares.starved : 0,
    worstWaitMs: shares.worstWaitMs,
    waitP50Ms: percentile(waitsOf(records), 0.5),
    overlaps: handOvers?.overlaps ?? 0,
    gaveUp,
    maxRssMb: Math.max(...dones.map((done) => done.maxRssMb)),
    errors: dones.flatMap((done) => done.errors).slice(0, 5),
  }
}

function secondShareOf({ waiters }: Scenario, perWaiter: readonly number[]): number | undefined {
  const all = perWaiter.reduce((sum, sections) => sum + sections, 0)
  const second = perWaiter.filter((_, waiter) => Math.floor(waiter / waiters) % 2 === 1)
  return all === 0 ? undefined : second.reduce((sum, sections) => sum + sections, 0) / all
}

function waitsOf({ requestedAt, enteredAt }: Records): number[] {
  return Array.from(enteredAt, (at, index) => at - (requestedAt[index] ?? at))
}

/** A burst that went through ends with its last section; one that did not, with its patience; the rest after its time. */
function windowOf(scenario: Scenario, records: Records, gaveUp: number, seen: Seen): Window {
  const again = scenario.kind !== 'burst'
  if (again) return { from: seen.startAt, to: seen.startAt + scenario.durationMs, again }
  const lastLeftAt = records.leftAt.reduce((last, leftAt) => Math.max(last, leftAt), seen.startAt)
  return { from: seen.startAt, to: gaveUp > 0 ? seen.startAt + seen.giveUpMs : lastLeftAt, again }
}
