import type { DeadlockLink, LockRole } from '../base/errors/deadlock-error.js'
import { labelOf, ownerText } from '../base/identity/label.js'
import { printable } from '../base/identity/printable.js'
import { isoTime } from '../base/time/iso-time.js'
import type { Survey } from '../client/deadlock/survey.js'
import type { SeenEdge } from '../port/edges-port.js'
import { exitCodes } from './exit-codes.js'
import { CliError } from './failure.js'
import { firstAnswer } from './first-answer.js'
import { lookAgain } from './look-again.js'
import type { Json, Output } from './output.js'
import { plainTable } from './plain-table.js'
import { Screen } from './screen.js'
import type { Server } from './server.js'
import { shortened } from './shortened.js'

/** Tables cut names longer than this; JSON has them in full. */
const WIDEST_NAME = 40
const INTERVAL_MS = 1_000

/** Shows who waits while it holds other locks, and who of them for each other. */
export async function deadlocks(server: Server, output: Output): Promise<number> {
  const seen = await firstAnswer(surveyOf(server), output)
  if (output.json) for (const json of jsonOf(seen)) await output.result(() => '', json)
  else output.result(() => picture(seen, output), null)
  return seen.deadlocks.length > 0 ? exitCodes.deadlock : exitCodes.ok
}

/** As {@link deadlocks}, again and again: redraws on a terminal, otherwise writes each deadlock when it is first seen. */
export async function watchDeadlocks(server: Server, output: Output, signal: AbortSignal): Promise<void> {
  const screen = output.live && !output.json ? new Screen(output.results) : undefined
  let before: ReadonlySet<string> = new Set()
  await lookAgain(
    {
      intervalMs: INTERVAL_MS,
      signal,
      look: () => surveyOf(server),
      show: (seen) => {
        screen?.draw(picture(seen, output))
        const present = new Map(seen.deadlocks.map((cycle) => [JSON.stringify(cycle), cycle]))
        for (const [text, cycle] of present)
          if (!screen && !before.has(text)) output.result(() => cycleText(cycle, output), cycleJson(cycle))
        before = new Set(present.keys())
        return false
      },
      away: () => screen?.keep(),
    },
    output,
  )
}

async function surveyOf(server: Server): Promise<Survey> {
  const seen = await server.family.survey()
  if (seen) return seen
  const text = 'This store does not keep who waits for whom. Redis, Valkey, databases and SQLite files do.'
  throw new CliError(exitCodes.usage, 'NOT_KEPT', text)
}

function picture({ edges, deadlocks }: Survey, output: Output): string {
  if (edges.length === 0) return 'Nobody waits while it holds another lock.'
  const { colours } = output
  const head = ['OWNER', 'HOLDS', 'WAITS FOR', 'SINCE'].map((text) => colours.dim(text))
  const waits = plainTable([head, ...edges.map(rowOf)])
  return [...deadlocks.map((cycle) => cycleText(cycle, output)), waits].join('\n\n')
}

function rowOf({ owner, holds: [first, ...others], waitsFor, since }: SeenEdge): string[] {
  const held = first ? `${roleText(first)}${others.length > 0 ? ` and ${others.length} more` : ''}` : '-'
  const name = shortened(labelOf(owner) ?? printable(owner), WIDEST_NAME)
  return [name, held, roleText(waitsFor), isoTime(since)]
}

function cycleText(cycle: readonly DeadlockLink[], { colours }: Output): string {
  const lines = cycle.map(
    ({ owner, holds, waitsFor, waitsSince }) =>
      `  ${ownerText(owner)} holds ${roleText(holds)} and has waited for ${roleText(waitsFor)} since ${isoTime(waitsSince)}`,
  )
  const stacks = cycle.flatMap(({ owner, holds, waitsFor, takenAt, waitsAt }) => [
    ...stackText(`${ownerText(owner)} took ${roleText(holds)}`, takenAt),
    ...stackText(`${ownerText(owner)} waits for ${roleText(waitsFor)}`, waitsAt),
  ])
  return [colours.red(`Deadlock of ${cycle.length}:`), ...lines, ...stacks].join('\n')
}

/** Where that was, without the line that says it is a stack. */
function stackText(what: string, stack: string | undefined): string[] {
  if (stack === undefined) return []
  const frames = stack.split('\n').slice(1)
  return [`  ${what}`, ...frames.map((frame) => `    ${printable(frame.trim())}`)]
}

function roleText({ kind, name }: LockRole): string {
  return `${kind} "${shortened(printable(name), WIDEST_NAME)}"`
}

/** Each deadlock, then each wait. */
function jsonOf({ edges, deadlocks }: Survey): Json[] {
  return [...deadlocks.map(cycleJson), ...edges.map(edgeJson)]
}

function cycleJson(cycle: readonly DeadlockLink[]): Json {
  return {
    event: 'deadlock',
    cycle: cycle.map(({ owner, label = null, holds, waitsFor, waitsSince, takenAt, waitsAt }) => ({
      owner,
      label,
      holds: { ...holds },
      waitsFor: { ...waitsFor },
      waitsSince: isoTime(waitsSince),
      ...(takenAt !== undefined && { takenAt }),
      ...(waitsAt !== undefined && { waitsAt }),
    })),
  }
}

function edgeJson({ owner, holds, waitsFor, since, waitsAt }: SeenEdge): Json {
  return {
    event: 'wait',
    owner,
    label: labelOf(owner) ?? null,
    holds: holds.map(({ kind, name, takenAt }) => ({
      kind,
      name,
      ...(takenAt !== undefined && { takenAt }),
    })),
    waitsFor: { kind: waitsFor.kind, name: waitsFor.name },
    waitsSince: isoTime(since),
    ...(waitsAt !== undefined && { waitsAt }),
  }
}
