import type { Holdfast } from 'holdfast'
import { Casualty } from './casualty.js'
import type { Crew } from './crew.js'
import type { Finding } from './finding.js'
import { Ledger } from './ledger.js'
import type { Locks } from './locks.js'
import { type Brief, DEPTH } from './message.js'
import { Meter } from './meter.js'
import { Stranger } from './stranger.js'

/** What a shift with the lock needs. */
export interface Setting {
  readonly crew: Crew
  readonly brief: Brief
  readonly locks: Locks
  readonly holdfast: Holdfast
  readonly say: (line: string) => void
}

/** What came of a shift with the lock. */
export interface Guarded {
  readonly updates: number
  readonly lost: number
  readonly findings: readonly Finding[]
}

/** The work with the lock: one worker is killed while it holds, and somebody unlocks what is not his. */
export async function shiftWithLock(
  { crew, brief, locks, holdfast, say }: Setting,
  ms: number,
): Promise<Guarded> {
  const ledger = await Ledger.open()
  try {
    const meter = locks.redis && (await Meter.start(locks.redis))
    const endAt = performance.now() + ms
    crew.work(ledger.dir, true)
    await crew.continue(ms / 3)

    const casualty = await Casualty.stop(crew)
    const refusal = await new Stranger(holdfast).unlock(`${brief.prefix}bank`)
    say(
      `a stranger's unlock was ${refusal.refused ? 'refused' : 'NOT refused'}; ${casualty.name} still holds`,
    )
    await casualty.kill()
    say(`${casualty.name} killed (SIGKILL) inside ${DEPTH} nested sections`)
    const movedOnMs = await casualty.movedOnMs(brief.watchdogMs)
    say(
      movedOnMs === undefined ? 'its lock did not move on' : `its lock moved on after ${seconds(movedOnMs)}`,
    )

    // At least a second more, so that it is seen that the others go on.
    await crew.continue(Math.max(endAt - performance.now(), 1_000))
    await crew.rest()
    const { sections, updates, depth, holds } = crew.tally
    const lost = updates - (await ledger.count())
    const commands = await meter?.read()
    const findings = [
      { what: 'worker processes', figure: `${crew.members.length}, one of them killed inside` },
      { what: 'critical sections done', figure: String(sections), sound: sections > 0 },
      {
        what: 'nested depth reached',
        figure: `${depth} sections, ${holds} holds of one lock`,
        sound: depth >= DEPTH && holds >= 2,
      },
      { what: 'lost updates', figure: `${lost} of ${updates}`, sound: lost === 0 },
      {
        what: "killed holder's lock moved on after",
        figure:
          movedOnMs === undefined
            ? 'never'
            : `${seconds(movedOnMs)} (its lease: ${seconds(brief.watchdogMs)})`,
        sound: movedOnMs !== undefined,
      },
      {
        what: 'others inside while it held the lock',
        figure: casualty.trespassed ? 'yes' : 'none',
        sound: !casualty.trespassed,
      },
      {
        what: 'unlock by a non-owner',
        figure: `${refusal.refused ? 'refused' : 'not refused'}, ${
          locks.tellsHolds ? `holder has ${refusal.holder?.holds ?? 0} holds` : 'the holder still has it'
        }`,
        sound: refusal.refused && refusal.holder?.holds === (locks.tellsHolds ? 2 : 1),
      },
      ...(commands === undefined
        ? []
        : [{ what: 'commands per section (commandstats)', figure: (commands / sections).toFixed(2) }]),
    ]
    return { updates, lost, findings }
  } finally {
    await ledger.remove()
  }
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`
}
