import { flushMs } from '../measure/disk.js'
import { growTable } from '../measure/programs.js'
import type { Answer, TableGrowth, TakeOver } from '../measure/results.js'
import { takeOver } from '../measure/take-over.js'
import type { Suite } from '../suite.js'
import { storeChartsOf } from './charts.js'
import { storesDocumentOf } from './document.js'
import { storeEntries } from './entries.js'
import { storeGatesOf } from './gates.js'
import { quickenedStores } from './quick.js'
import { crash, places, storeScenarios, tableGrowth, tablePlaces } from './scenarios.js'

/** A million with `--full`, which takes as long as all else together. */
const CRASHES = { usual: { times: 3, watchdogMs: 3_000 }, quick: { times: 1, watchdogMs: 1_000 } } as const
const SECTIONS = { full: 1_000_000, usual: 50_000, quick: 1_000 } as const

/** Holdfast on every store, beside what there is. */
export const storesSuite: Suite = {
  scenarios: storeScenarios,
  libraries: storeEntries.map(({ name }) => name),
  programs: {
    ...Object.fromEntries(tablePlaces.map(({ place }) => [tableGrowth(place), 15_000])),
    ...Object.fromEntries(places.map(({ place }) => [crash(place), 15_000])),
  },
  ours: 'holdfast-store',
  page: 'benchmarks-stores.md',
  figures: 'benchmarks/stores.json',
  quickened: quickenedStores,
  async run({ chosen, quick, full }, systems) {
    const tables: Answer<TableGrowth>[] = []
    const sections = quick ? SECTIONS.quick : full ? SECTIONS.full : SECTIONS.usual
    for (const { place, system } of tablePlaces.filter((each) => chosen.includes(tableGrowth(each.place)))) {
      const bench = await systems.benchOn(system)
      if (typeof bench === 'string') continue
      console.log(`${tableGrowth(place)}: ${sections} sections`)
      tables.push(await growTable(bench, system, sections))
    }
    const takeOvers: Answer<TakeOver>[] = []
    for (const { place, system } of places.filter((each) => chosen.includes(crash(each.place)))) {
      const bench = await systems.benchOn(system)
      if (typeof bench === 'string') continue
      console.log(crash(place))
      takeOvers.push(await takeOver(bench, system, quick ? CRASHES.quick : CRASHES.usual))
    }
    return { heldLocks: undefined, blocked: [], tables, takeOvers, flushMs: await flushMs(systems.folder) }
  },
  gatesOf: storeGatesOf,
  chartsOf: storeChartsOf,
  documentOf: storesDocumentOf,
}
