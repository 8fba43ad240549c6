import type { Owner } from '../owner.js'
import type { LockState } from '../store.js'
import { type Answer, failuresIn, repliesIn } from './answers.js'
import { majorityLasts, majorityOf, sparesOf } from './majority.js'

/**
 * The lock as a majority of the servers has it. Undefined while answers are to come that could change that; and at the end,
 * where servers that failed could make a majority for somebody: then nobody can tell.
 */
export function stateOf(name: string, answers: readonly Answer<LockState>[]): LockState | undefined {
  const servers = answers.length
  const states = repliesIn(answers)
  const unknown = servers - states.length
  const counts = new Map<Owner, number>()
  for (const { owners } of states) {
    for (const { owner } of owners) counts.set(owner, (counts.get(owner) ?? 0) + 1)
  }
  for (const [owner, count] of counts) {
    if (count >= majorityOf(servers)) return heldBy(name, owner, states, servers)
  }
  if (failuresIn(answers) > sparesOf(servers)) return undefined
  const mostSeen = Math.max(0, ...counts.values())
  return mostSeen + unknown >= majorityOf(servers) ? undefined : { name, owners: [], remainingMs: 0 }
}

function heldBy(name: string, owner: Owner, states: readonly LockState[], servers: number): LockState {
  const mine = states.filter(({ owners }) => owners.some((each) => each.owner === owner))
  const atAll = (values: readonly number[]): number[] => [
    ...values,
    ...Array.from({ length: servers - values.length }, () => 0),
  ]
  const holds = mine.map(({ owners }) => owners.find((each) => each.owner === owner)?.holds ?? 0)
  return {
    name,
    owners: [{ owner, holds: majorityLasts(atAll(holds)) }],
    remainingMs: majorityLasts(atAll(mine.map(({ remainingMs }) => remainingMs))),
  }
}
