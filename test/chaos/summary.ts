import Table from 'cli-table3'
import type { Verdict } from './checker/check.js'
import type { Finding } from './checker/finding.js'

export interface Outcome {
  readonly seed: number
  readonly nemesis: string
  readonly topology: string
  readonly verdict: Verdict
}

const nothing = {
  ...{ episodes: 0, sections: 0, booked: 0, faults: 0, violations: 0, stuck: 0, late: 0, other: 0 },
  ...{ expected: 0, explained: 0, longestIdleMs: 0 },
}
type Figure = keyof typeof nothing

/** The figures of one nemesis, all kinds together or one. */
export type Row = typeof nothing & { readonly nemesis: string; readonly kind: string }

/** As what a finding of that check counts, where it was not expected. */
const figureOf: Partial<Record<Finding['check'], Figure>> = {
  ...{ exclusion: 'violations', unnoticed: 'violations', fence: 'violations', order: 'violations' },
  ...{ permits: 'violations', late: 'late', idle: 'late', starved: 'late', stuck: 'stuck' },
}
const ALL = 'all'

export function rowsOf(outcomes: readonly Outcome[]): Row[] {
  const rows = new Map<string, Row>()
  const rowOf = (nemesis: string, kind: string): Row => {
    const row = rows.get(`${nemesis} ${kind}`) ?? { nemesis, kind, ...nothing }
    rows.set(`${nemesis} ${kind}`, row)
    return row
  }
  for (const { nemesis, verdict } of outcomes) {
    const all = rowOf(nemesis, ALL)
    all.episodes += 1
    all.faults += verdict.faults
    all.booked += verdict.booked
    all.explained += verdict.explained.pause + verdict.explained['data lost']
    for (const [kind, count] of Object.entries(verdict.sections)) {
      all.sections += count
      rowOf(nemesis, kind).sections += count
      rowOf(nemesis, kind).faults += verdict.faults
    }
    for (const [kind, longest] of Object.entries(verdict.longestIdleMs))
      for (const row of [all, rowOf(nemesis, kind)]) row.longestIdleMs = Math.max(row.longestIdleMs, longest)
    for (const { check, kind, expected } of verdict.findings)
      for (const row of kind === '' ? [all] : [all, rowOf(nemesis, kind)])
        row[expected === undefined ? (figureOf[check] ?? 'other') : 'expected'] += 1
  }
  return [...rows.values()]
}

export function tableOf(outcomes: readonly Outcome[]): string {
  const rows = rowsOf(outcomes)
  const kinds = [...new Set(rows.map(({ kind }) => kind))].filter((kind) => kind !== ALL).sort()
  const sums = ['sections', 'booked', 'faults', 'violations', 'stuck', 'late', 'other'] as const
  const excused = ['expected', 'explained'] as const
  const table = new Table({
    head: ['nemesis', 'episodes', ...kinds, ...sums, ...excused, 'idle ms'],
    style: { head: [], border: [], compact: true },
    colAligns: ['left'],
  })
  const add = (title: string, of: readonly Row[]): void => {
    const sum = (figure: Figure, kind = ALL): number =>
      of.filter((row) => row.kind === kind).reduce((all, row) => all + row[figure], 0)
    table.push([
      ...[title, sum('episodes'), ...kinds.map((kind) => sum('sections', kind))],
      ...[...sums, ...excused].map((figure) => sum(figure)),
      Math.round(Math.max(...of.map(({ longestIdleMs }) => longestIdleMs), 0)),
    ])
  }
  const rowsUnder = (nemesis: string): Row[] => rows.filter((row) => row.nemesis === nemesis)
  for (const nemesis of new Set(rows.map((row) => row.nemesis))) add(nemesis, rowsUnder(nemesis))
  add(ALL, rows)
  return table.toString()
}
