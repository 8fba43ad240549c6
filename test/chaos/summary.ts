import Table from 'cli-table3'
import type { Verdict } from './checker/check.js'
import type { Finding } from './checker/finding.js'

/** What came of one episode. */
export interface Outcome {
  readonly seed: number
  readonly nemesis: string
  readonly topology: string
  readonly verdict: Verdict
}

/** The figures of one nemesis, all kinds together or one. */
export interface Row {
  readonly nemesis: string
  readonly kind: string
  episodes: number
  sections: number
  booked: number
  faults: number
  violations: number
  stuck: number
  late: number
  other: number
  expected: number
  explained: number
  longestIdleMs: number
}

const VIOLATIONS: ReadonlyArray<Finding['check']> = ['exclusion', 'unnoticed', 'fence', 'order', 'permits']
const LATE: ReadonlyArray<Finding['check']> = ['late', 'idle', 'starved']
const ALL = 'all'

/** The figures by nemesis, and by nemesis and kind. */
export function rowsOf(outcomes: readonly Outcome[]): Row[] {
  const rows = new Map<string, Row>()
  const rowOf = (nemesis: string, kind: string): Row => {
    const key = `${nemesis} ${kind}`
    const row = rows.get(key) ?? {
      ...{
        nemesis,
        kind,
        episodes: 0,
        sections: 0,
        booked: 0,
        faults: 0,
        violations: 0,
        stuck: 0,
        late: 0,
        other: 0,
      },
      ...{ expected: 0, explained: 0, longestIdleMs: 0 },
    }
    rows.set(key, row)
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
    for (const [kind, longest] of Object.entries(verdict.longestIdleMs)) {
      const row = rowOf(nemesis, kind)
      row.longestIdleMs = Math.max(row.longestIdleMs, longest)
      all.longestIdleMs = Math.max(all.longestIdleMs, longest)
    }
    for (const { check, kind, expected } of verdict.findings)
      for (const row of kind === '' ? [all] : [all, rowOf(nemesis, kind)]) {
        if (expected !== undefined) row.expected += 1
        else if (VIOLATIONS.includes(check)) row.violations += 1
        else if (LATE.includes(check)) row.late += 1
        else if (check === 'stuck') row.stuck += 1
        else row.other += 1
      }
  }
  return [...rows.values()]
}

/** One line for each nemesis, with the sections of each kind. */
export function tableOf(outcomes: readonly Outcome[]): string {
  const rows = rowsOf(outcomes)
  const kinds = [...new Set(rows.map(({ kind }) => kind))].filter((kind) => kind !== ALL).sort()
  const totals = rows.filter(({ kind }) => kind === ALL)
  const table = new Table({
    head: [
      'nemesis',
      'episodes',
      ...kinds,
      'sections',
      'booked',
      'faults',
      'violations',
      'stuck',
      'late',
      'other',
      'expected',
      'explained',
      'idle ms',
    ],
    style: { head: [], border: [], compact: true },
    colAligns: ['left'],
  })
  const sum = (pick: (row: Row) => number): number => totals.reduce((all, row) => all + pick(row), 0)
  const figures = (row: Omit<Row, 'nemesis' | 'kind' | 'episodes'>): number[] => [
    ...[
      row.sections,
      row.booked,
      row.faults,
      row.violations,
      row.stuck,
      row.late,
      row.other,
      row.expected,
      row.explained,
    ],
    Math.round(row.longestIdleMs),
  ]
  for (const row of totals) {
    const sections = kinds.map(
      (kind) => rows.find((each) => each.kind === kind && each.nemesis === row.nemesis)?.sections ?? 0,
    )
    table.push([row.nemesis, row.episodes, ...sections, ...figures(row)])
  }
  table.push([
    ALL,
    sum(({ episodes }) => episodes),
    ...kinds.map((kind) =>
      rows.filter((row) => row.kind === kind).reduce((all, row) => all + row.sections, 0),
    ),
    ...figures({
      sections: sum(({ sections }) => sections),
      booked: sum(({ booked }) => booked),
      faults: sum(({ faults }) => faults),
      violations: sum(({ violations }) => violations),
      stuck: sum(({ stuck }) => stuck),
      late: sum(({ late }) => late),
      other: sum(({ other }) => other),
      expected: sum(({ expected }) => expected),
      explained: sum(({ explained }) => explained),
      longestIdleMs: Math.max(...totals.map(({ longestIdleMs }) => longestIdleMs), 0),
    }),
  ])
  return table.toString()
}
