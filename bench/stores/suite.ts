import { growTable } from '../measure/programs.js'
import type { Answer, TableGrowth } from '../measure/results.js'
import type { Suite } from '../suite.js'
import { storeCatalog } from './catalog.js'
import { storeChartsOf } from './charts.js'
import { storesDocumentOf } from './document.js'
import { storeGatesOf } from './gates.js'
import { quickenedStores } from './quick.js'
import { places, storeScenarios, TABLE_GROWTH } from './scenarios.js'

/** A million with `--full`, which takes as long as all else together. */
const SECTIONS = { full: 1_000_000, usual: 50_000, quick: 1_000 } as const

/** Holdfast on databases and in files, beside what there is. */
export const storesSuite: Suite = {
  scenarios: storeScenarios,
  libraries: storeCatalog.map(({ name }) => name),
  programs: { [TABLE_GROWTH]: 60_000 },
  ours: 'holdfast-store',
  page: 'benchmarks-stores.md',
  figures: 'benchmarks/stores.json',
  quickened: quickenedStores,
  async run({ chosen, quick, full }, systems) {
    if (!chosen.includes(TABLE_GROWTH)) return { heldLocks: undefined, blocked: [] }
    const tables: Answer<TableGrowth>[] = []
    for (const { system } of places) {
      const bench = await systems.benchOn(system)
      const sections = quick ? SECTIONS.quick : full ? SECTIONS.full : SECTIONS.usual
      if (typeof bench !== 'string') tables.push(await growTable(bench, system, sections))
    }
    return { heldLocks: undefined, blocked: [], tables }
  },
  gatesOf: storeGatesOf,
  chartsOf: storeChartsOf,
  documentOf: storesDocumentOf,
}
