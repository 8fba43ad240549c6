import type { System } from '../drivers/place.js'
import { BLOCKED_MAIN_THREAD, HELD_LOCKS } from '../scenarios.js'
import { places, tableGrowth } from '../stores/scenarios.js'
import type { Addition, Answer, Results, TableGrowth } from './results.js'

/**
 * Puts what a run of some scenarios has found in the place of what an earlier run found of them. A scenario's figures are all of
 * one run, so that ratios within it keep their meaning.
 */
export function withAddition(before: Results, later: Results): Results {
  const grown = places.filter(({ system }) => later.tables?.some(isOf(system))).map(({ place }) => place)
  const again = new Set([
    ...later.cells.map(({ scenario }) => scenario),
    ...(later.heldLocks === undefined ? [] : [HELD_LOCKS]),
    ...(later.blocked.length === 0 ? [] : [BLOCKED_MAIN_THREAD]),
    ...grown.map(tableGrowth),
  ])
  const { startedAt, tookMs, rounds, machine } = later
  const addition: Addition = { startedAt, tookMs, rounds, machine, scenarios: [...again] }
  // An addition whose every scenario was run again has nothing left on the page.
  const earlier = (before.additions ?? []).filter(({ scenarios }) =>
    scenarios.some((name) => !again.has(name)),
  )
  return {
    ...before,
    cells: [...before.cells.filter(({ scenario }) => !again.has(scenario)), ...later.cells],
    heldLocks: later.heldLocks ?? before.heldLocks,
    blocked: later.blocked.length > 0 ? later.blocked : before.blocked,
    ...tablesOf(before, later),
    additions: again.size > 0 ? [...earlier, addition] : earlier,
  }
}

/** Tables that did not grow again stay, but for failures, which name none. */
function tablesOf(before: Results, later: Results): Pick<Results, 'tables' | 'flushMs'> {
  if (later.tables === undefined) return {}
  const stays = (before.tables ?? []).filter(
    (table) => 'system' in table && !later.tables?.some(isOf(table.system)),
  )
  const order = (table: Answer<TableGrowth>): number => places.findIndex(({ system }) => isOf(system)(table))
  return {
    tables: [...stays, ...later.tables].sort((one, other) => order(one) - order(other)),
    flushMs: later.flushMs,
  }
}

function isOf(system: System): (table: Answer<TableGrowth>) => boolean {
  return (table) => 'system' in table && table.system === system
}
