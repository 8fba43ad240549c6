import { BLOCKED_MAIN_THREAD, HELD_LOCKS } from '../scenarios.js'
import { TABLE_GROWTH } from '../stores/scenarios.js'
import type { Addition, Results } from './results.js'

/**
 * Puts what a run of some scenarios has found in the place of what an earlier run found of them. A scenario's figures are all of
 * one run, so that ratios within it keep their meaning.
 */
export function withAddition(before: Results, later: Results): Results {
  const again = new Set([
    ...later.cells.map(({ scenario }) => scenario),
    ...(later.heldLocks === undefined ? [] : [HELD_LOCKS]),
    ...(later.blocked.length === 0 ? [] : [BLOCKED_MAIN_THREAD]),
    ...(later.tables === undefined ? [] : [TABLE_GROWTH]),
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
    ...((later.tables ?? before.tables) && { tables: later.tables ?? before.tables }),
    additions: again.size > 0 ? [...earlier, addition] : earlier,
  }
}
