import type { System } from '../drivers/place.js'
import { BLOCKED_MAIN_THREAD, HELD_LOCKS, MANY_CLIENTS, SIMULATED } from '../scenarios.js'
import { crash, places, tableGrowth } from '../stores/scenarios.js'
import type { Addition, Answer, Results } from './results.js'

/**
 * Puts what a run of some scenarios has found in the place of what an earlier run found of them. A scenario's figures are all of
 * one run, so that ratios within it keep their meaning.
 */
export function withAddition(before: Results, later: Results): Results {
  const placesIn = (answers: Answers | undefined) =>
    places.filter(({ system }) => answers?.some(isOf(system))).map(({ place }) => place)
  const again = new Set([
    ...later.cells.map(({ scenario }) => scenario),
    ...(later.heldLocks === undefined ? [] : [HELD_LOCKS]),
    ...(later.blocked.length === 0 ? [] : [BLOCKED_MAIN_THREAD]),
    ...(later.manyClients ? [MANY_CLIENTS] : []),
    ...(later.simulated ? [SIMULATED] : []),
    ...placesIn(later.tables).map(tableGrowth),
    ...placesIn(later.takeOvers).map(crash),
  ])
  const { startedAt, tookMs, rounds, machine } = later
  const addition: Addition = { startedAt, tookMs, rounds, machine, scenarios: [...again] }
  const earlier = (before.additions ?? [])
    .map((each) => ({ ...each, scenarios: each.scenarios.filter((name) => !again.has(name)) }))
    .filter(({ scenarios }) => scenarios.length > 0)
  return {
    ...before,
    cells: [...before.cells.filter(({ scenario }) => !again.has(scenario)), ...later.cells],
    heldLocks: later.heldLocks ?? before.heldLocks,
    blocked: later.blocked.length > 0 ? later.blocked : before.blocked,
    ...(later.manyClients && { manyClients: later.manyClients }),
    ...(later.simulated && { simulated: later.simulated }),
    ...tablesOf(before, later),
    additions: again.size > 0 ? [...earlier, addition] : earlier,
  }
}

type Answers = readonly Answer<{ readonly system: System }>[]

/** What was not looked at again stays, but for failures, which name no place. */
function tablesOf(before: Results, later: Results): Pick<Results, 'tables' | 'takeOvers' | 'flushMs'> {
  return {
    ...(later.tables && { tables: merged(before.tables, later.tables) }),
    ...(later.takeOvers && { takeOvers: merged(before.takeOvers, later.takeOvers) }),
    ...(later.flushMs !== undefined && { flushMs: later.flushMs }),
  }
}

function merged<Kept extends { readonly system: System }>(
  before: readonly Answer<Kept>[] = [],
  later: readonly Answer<Kept>[],
): Answer<Kept>[] {
  const stays = before.filter((answer) => 'system' in answer && !later.some(isOf(answer.system)))
  const order = (answer: Answer<Kept>): number => places.findIndex(({ system }) => isOf(system)(answer))
  return [...stays, ...later].sort((one, other) => order(one) - order(other))
}

function isOf(system: System): (answer: Answer<{ readonly system: System }>) => boolean {
  return (answer) => 'system' in answer && answer.system === system
}
