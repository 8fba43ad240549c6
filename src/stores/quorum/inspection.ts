import type { Owner } from '../../base/identity/owner.js'
import type { LockState } from '../../port/lock-port.js'
import { type Answer, failuresIn, repliesIn } from './answers.js'
import { majorityLasts, majorityOf, sparesOf } from './majority.js'

/**
 * The lock as a majority of the servers has it. Undefined while missing answers could change that; and in the end, if failed servers
 * could make a majority for an owner: then the answer is unknown.
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
    if (count >= majorityOf(servers)) return heldBy(name, owner, answers)
  }
  if (failuresIn(answers) > sparesOf(servers)) return undefined
  const mostSeen = Math.max(0, ...counts.values())
  return mostSeen + unknown >= majorityOf(servers) ? undefined : { name, owners: [], remainingMs: 0 }
}

/** Undefined while a server that is still silent could raise the count of holds that a majority has. */
function heldBy(name: string, owner: Owner, answers: readonly Answer<LockState>[]): LockState | undefined {
  const holdsIfSilentHas = (silent: number): number =>
    majorityLasts(answers.map((answer) => (answer.state === 'pending' ? silent : holdsIn(answer, owner))))
  const holds = holdsIfSilentHas(0)
  if (holds !== holdsIfSilentHas(Infinity)) return undefined
  const remainingMs = majorityLasts(
    answers.map((answer) =>
      answer.state === 'answered' && holdsIn(answer, owner) > 0 ? answer.reply.remainingMs : 0,
    ),
  )
  const times = repliesIn(answers).flatMap(({ owners }) =>
    owners.flatMap((each) => (each.owner === owner ? (each.heldSince ?? []) : [])),
  )
  const since = times.length > 0 && { heldSince: Math.min(...times) }
  return { name, owners: [{ owner, holds, ...since }], remainingMs }
}

function holdsIn(answer: Answer<LockState>, owner: Owner): number {
  if (answer.state !== 'answered') return 0
  return answer.reply.owners.find((each) => each.owner === owner)?.holds ?? 0
}
