import { catalog } from './catalog.js'
import { gatesOf } from './gates.js'
import { blockMainThread, holdMany } from './measure/programs.js'
import { quickened } from './quick.js'
import { chartsOf } from './report/charts.js'
import { documentOf } from './report/document.js'
import { BLOCKED_MAIN_THREAD, HELD_LOCKS, scenarios } from './scenarios.js'
import type { Suite } from './suite.js'

/** Holdfast beside the libraries of locks on Redis. */
export const redisSuite: Suite = {
  scenarios,
  libraries: catalog.map(({ name }) => name),
  programs: { [HELD_LOCKS]: 55_000, [BLOCKED_MAIN_THREAD]: 12_000 },
  ours: 'holdfast',
  page: 'benchmarks.md',
  figures: 'benchmarks/results.json',
  quickened,
  async run({ chosen, quick }, systems) {
    const bench = chosen.length > 0 ? await systems.benchOn('Redis') : 'nothing to run'
    if (typeof bench === 'string') return { heldLocks: undefined, blocked: [] }
    return {
      heldLocks: chosen.includes(HELD_LOCKS) ? await holdMany(bench, quick) : undefined,
      blocked: chosen.includes(BLOCKED_MAIN_THREAD) ? await blockMainThread(bench) : [],
    }
  },
  gatesOf,
  chartsOf,
  documentOf,
}
