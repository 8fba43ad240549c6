import { flushMs } from '../measure/disk.js'
import { growTable } from '../measure/programs.js'
import type { Answer, TableGrowth } from '../measure/results.js'
import type { Suite } from '../suite.js'
import { storeCatalog } from './catalog.js'
import { storeChartsOf } from './charts.js'
import { storesDocumentOf } from './document.js'
import { storeGatesOf } from './gates.js'
import { quickenedStores } from './quick.js'
import { places, storeScenarios, tableGrowth } from './scenarios.js'

/** A million with `--full`, which takes as long as all else together. */
const SECTIONS = { full: 1_000_000, usual: 50_000, quick: 1_000 } as const

/** Holdfast on databases and in files, beside what there is. */
export const storesSuite: Suite = {
  scenarios: storeScenarios,
  libraries: storeCatalog.map(({ name }) => name),
  programs: Object.fromEntries(places.map(({ place }) => [tableGrowth(place), 15_000])),
  ours: 'holdfast-store',
  page: 'benchmarks-stores.md',
  figures: 'benchmarks/stores.json',
  quickened: quickenedStores,
  async run({ chosen, quick, full }, systems) {
    const tables: Answer<TableGrowth>[] = []
    const sections = quick ? SECTIONS.quick : full ? SECTIONS.full : SECTIONS.usual
    for (const { place, system } of places.filter((each) => chosen.includes(tableGrowth(each.place)))) {
      const bench = await systems.benchOn(system)
      if (typeof bench === 'string') continue
      console.log(`${tableGrowth(place)}: ${sections} sections`)
      tables.push(await growTable(bench, system, sections))
    }
    return { heldLocks: undefined, blocked: [], tables, flushMs: await flushMs(systems.folder) }
  },
  gatesOf: storeGatesOf,
  chartsOf: storeChartsOf,
  documentOf: storesDocumentOf,
}
