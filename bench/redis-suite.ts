import { catalog } from './catalog.js'
import { gatesOf } from './gates.js'
import { manyClients } from './measure/many-clients.js'
import { blockMainThread, holdMany, simulate } from './measure/programs.js'
import { quickened } from './quick.js'
import { chartsOf } from './report/charts.js'
import { documentOf } from './report/document.js'
import { BLOCKED_MAIN_THREAD, HELD_LOCKS, MANY_CLIENTS, SIMULATED, scenarios } from './scenarios.js'
import type { Suite } from './suite.js'

/** Holdfast beside the libraries of locks on Redis. */
export const redisSuite: Suite = {
  scenarios,
  libraries: catalog.map(({ name }) => name),
  programs: {
    [HELD_LOCKS]: 55_000,
    [BLOCKED_MAIN_THREAD]: 12_000,
    [MANY_CLIENTS]: 240_000,
    [SIMULATED]: 120_000,
  },
  ours: 'holdfast',
  page: 'benchmarks.md',
  figures: 'benchmarks/results.json',
  quickened,
  async run({ chosen, quick }, systems) {
    const beyond = {
      ...(chosen.includes(MANY_CLIENTS) && { manyClients: await manyClients(quick) }),
      ...(chosen.includes(SIMULATED) && { simulated: await simulate(quick) }),
    }
    const onServer = chosen.includes(HELD_LOCKS) || chosen.includes(BLOCKED_MAIN_THREAD)
    const bench = onServer ? await systems.benchOn('Redis') : 'nothing to run'
    if (typeof bench === 'string') return { heldLocks: undefined, blocked: [], ...beyond }
    return {
      ...beyond,
      heldLocks: chosen.includes(HELD_LOCKS) ? await holdMany(bench, quick) : undefined,
      blocked: chosen.includes(BLOCKED_MAIN_THREAD) ? await blockMainThread(bench) : [],
    }
  },
  gatesOf,
  chartsOf,
  documentOf,
}
