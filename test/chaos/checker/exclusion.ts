import { type Fault, mayLose } from '../history/history.js'
import { byName, type Call, endOf } from '../history/section.js'
import { type Explanation, type Finding, finding } from './finding.js'
import type { Trial } from './trial.js'

/** What is published of losses: how soon a holder is told. */
export interface Bounds {
  /** After the store has lost a lock that is renewed, and can be reached. */
  readonly noticeMs: number
  /** For how long after a loss new sections may still begin in memory. */
  readonly handOverMs: number
  /** How long after its process has stopped a lock with an explicit lease stands at the least, however long that lease is. */
  readonly hungMs: number
}

interface Entered {
  readonly call: Call
  readonly enteredAt: number
  readonly endedAt: number
}

export function checkExclusion(trial: Trial, bounds: Bounds) {
  const findings: Finding[] = []
  const explained = { pause: 0, 'data lost': 0 }
  for (const [name, calls] of byName(trial.calls)) {
    const entered = calls
      .flatMap((call) =>
        call.enteredAt === undefined ? [] : [{ call, enteredAt: call.enteredAt, endedAt: endOf(call) }],
      )
      .sort((one, other) => one.enteredAt - other.enteredAt)
    let inside: Entered[] = []
    /** Each is found once, however many entered meanwhile. */
    const unnoticedBy = new Set<Call>()
    for (const next of entered) {
      inside = inside.filter(({ endedAt }) => endedAt > next.enteredAt)
      // Its process stood still from the grant to the section's first line, and its own hold said that it was over then.
      if (next.call.beliefs.every(({ at, until }) => until <= at)) {
        explained.pause += 1
        continue
      }
      const others = inside.filter(
        (each) => !admits(each.call, next.call) && !heldBefore(next, each) && !metOpen(next, each),
      )
      const taken = (of: readonly Entered[]): number => of.reduce((sum, { call }) => sum + call.takes, 0)
      // Whichever of them was granted last, there were so many then.
      const since = Math.max(next.call.calledAt, ...others.map(({ call }) => call.calledAt))
      const most = next.call.room + trial.room.most(name, since, next.enteredAt)
      if (others.length > 0 && taken(others) + next.call.takes > most) {
        const verdicts = others.map((older) => {
          const of = (loser: Entered) => {
            return { older, loser, ...judge(loser, next.enteredAt, name, trial, bounds) }
          }
          const verdict = of(older)
          const excused = verdict.why !== undefined && verdict.unnoticed === undefined
          return !excused && mayHaveLost(next, older, name, trial) ? of(next) : verdict
        })
        const unexplained = verdicts.filter(({ why }) => why === undefined).map(({ older }) => older)
        const breaks = unexplained.length > 0 && taken(unexplained) + next.call.takes > most
        for (const { why, unnoticed, loser } of verdicts) {
          if (why !== undefined) explained[why] += 1
          if (unnoticed === undefined || unnoticedBy.has(loser.call)) continue
          unnoticedBy.add(loser.call)
          findings.push(finding('unnoticed', loser.call, `${name}: ${loser.call.id} ${unnoticed}`))
        }
        if (breaks) {
          const whom = unexplained.map(
            ({ call, enteredAt }) => `${call.id} (inside since ${ms(next.enteredAt - enteredAt)})`,
          )
          const what = `${name}: ${next.call.id} entered at ${ms(next.enteredAt)} beside ${whom.join(', ')}`
          findings.push(finding('exclusion', next.call, what))
        }
      }
      inside.push(next)
    }
  }
  return { findings, explained }
}

/** Whether a call may re-enter what another holds (rule O2): its scope is the one that the hold belongs to, or within it. */
export function admits({ worker, opens }: Call, call: Call): boolean {
  return (
    worker === call.worker && opens.length > 0 && opens.every((scope, index) => call.scope[index] === scope)
  )
}

/**
 * Whether the later entry may have had its locks before the earlier one, which then re-entered them. A multi-lock enters when it has
 * all its members, which it may take one after the other: a hold of the surrounding scope may be told of late.
 */
function heldBefore({ call }: Entered, { call: nested, enteredAt }: Entered): boolean {
  return call.kind === 'multi' && call.calledAt < enteredAt && admits(call, nested)
}

/** Who waited for a latch keeps nobody out, and may have met it open for a moment, before it was closed again. */
function metOpen({ call }: Entered, { call: older, enteredAt }: Entered): boolean {
  return older.way === 'await' || (call.way === 'await' && call.calledAt < enteredAt)
}

/** Whether the store may have lost what the later entry had of a multi-lock before the earlier one took it, and entered. */
function mayHaveLost({ call }: Entered, older: Entered, name: string, { faults }: Trial): boolean {
  const between = ({ from, to }: Fault): boolean => call.calledAt <= to && from <= older.enteredAt
  return call.kind === 'multi' && faults.some((fault) => mayLose(fault, name) && between(fault))
}

/** Whether what the call had at that time may have been lost. What was written before the loss begins is there, for as long as it was said then. */
function mayHaveCost(fault: Fault, name: string, { enteredAt = 0, beliefs }: Call, at: number): boolean {
  if (!mayLose(fault, name)) return false
  if (typeof fault.loses === 'string' || !('since' in fault.loses)) return true
  const { since } = fault.loses
  const kept = beliefs.filter((belief) => belief.at <= since).map(({ until }) => until)
  return enteredAt >= since || Math.max(...kept) <= at
}

/** @param at when somebody else was inside as well */
function judge(
  older: Entered,
  at: number,
  name: string,
  { faults, standstills }: Trial,
  { noticeMs, handOverMs, hungMs }: Bounds,
): { why: Explanation | undefined; unnoticed?: string } {
  const { beliefs, leaseMs, worker } = older.call
  const said = beliefs.filter((belief) => belief.at <= at)
  const stoppedAt =
    leaseMs === undefined
      ? Infinity
      : standstills.stoppedAt(worker, hungMs, Math.max(...said.map((belief) => belief.at)), at)
  const certain = Math.min(Math.max(...said.map(({ until }) => until)), stoppedAt + hungMs)
  // Said after somebody else was inside that it still stood.
  const wrongly = beliefs.filter((belief) => belief.at > at).map((belief) => belief.at)
  const takenAt = older.call.kind === 'multi' ? older.call.calledAt : older.enteredAt
  const losses = faults.filter(
    (fault) =>
      mayHaveCost(fault, name, older.call, at) && fault.from <= at && takenAt <= fault.to + handOverMs,
  )
  // Who entered right after a loss may have taken the lock anew, and lost it by the next one.
  const loss = losses.find(({ from }) => older.enteredAt <= from) ?? losses[0]
  if (loss) {
    const bound = leaseMs === undefined ? loss.to + noticeMs : Math.max(certain, loss.to + noticeMs)
    const saidAt = Math.max(older.call.lostAt ?? 0, ...wrongly)
    const late = saidAt - Math.max(bound, at) - standstills.during(worker, Math.min(loss.to, saidAt), saidAt)
    const unnoticed = `was not told of its loss by ${loss.what} for ${ms(late)} beyond the bound`
    return late > 0 ? { why: 'data lost', unnoticed } : { why: 'data lost' }
  }
  return { why: wrongly.length === 0 && certain <= at ? 'pause' : undefined }
}

function ms(time: number): string {
  return `${time.toFixed(1)} ms`
}
