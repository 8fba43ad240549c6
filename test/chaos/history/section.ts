import type { CallTold } from './event.js'
import type { History, WorkerHistory } from './history.js'

export interface Call extends CallTold {
  /** `<worker>.<number>` */
  readonly id: string
  readonly worker: string
  readonly calledAt: number
  /** Since when it has the place in line that it has now. */
  waitsSince?: number | undefined
  enteredAt?: number | undefined
  lostAt?: number | undefined
  exitedAt?: number | undefined
  settledAt?: number | undefined
  how?: string | undefined
  /** When its worker was killed, if the call was under way then. */
  diedAt?: number | undefined
  fence?: bigint | undefined
  /** When its permits' lease ends, that was made shorter when its work was over. */
  lapsesAt?: number | undefined
  /** Each time its hold said that it stood: when, and until when that was certain. */
  readonly beliefs: Array<{ readonly at: number; readonly until: number }>
}

export function callsOf(history: History): Call[] {
  return history.workers.flatMap((worker) => [...callsOfWorker(worker).values()])
}

function callsOfWorker({ worker, events, killedAt }: WorkerHistory): Map<number, Call> {
  const calls = new Map<number, Call>()
  for (const event of events) {
    if (event.e === 'call') {
      const { t, e: _, ...told } = event
      calls.set(event.c, { ...told, id: `${worker}.${event.c}`, worker, calledAt: t, beliefs: [] })
    } else if ('c' in event) {
      const call = calls.get(event.c)
      if (call) follow(call, event)
    }
  }
  if (killedAt !== undefined)
    for (const call of calls.values()) if (call.settledAt === undefined) call.diedAt = killedAt
  return calls
}

type OfCall = Extract<WorkerHistory['events'][number], { c: number }>

function follow(call: Call, event: OfCall): void {
  const { t } = event
  switch (event.e) {
    case 'wait':
      call.waitsSince ??= t
      break
    case 'late':
      if (call.enteredAt === undefined) call.waitsSince = undefined
      break
    case 'enter':
      call.enteredAt = t
      call.fence = event.fence === undefined ? undefined : BigInt(event.fence)
      if (event.name !== undefined) Object.assign(call, { names: [event.name] })
      call.beliefs.push({ at: t, until: t + event.left })
      break
    case 'holds':
      call.beliefs.push({ at: t, until: t + event.left })
      break
    case 'lost':
      call.lostAt ??= t
      break
    case 'exit':
      call.exitedAt = t
      break
    case 'lets':
      call.lapsesAt = t + event.ms
      break
    case 'fail':
    case 'done':
      call.settledAt = t
      call.how = event.how
  }
}

/** The calls on each name; one that takes several is there at each. */
export function byName(calls: readonly Call[]): Map<string, Call[]> {
  const names = new Map<string, Call[]>()
  for (const call of calls)
    for (const name of call.names) {
      const ofName = names.get(name)
      if (ofName) ofName.push(call)
      else names.set(name, [call])
    }
  return names
}

/** When a section was over, as far as anybody could be inside: its work ended, its holder was told, or it died. */
export function endOf({ exitedAt, lostAt, diedAt }: Call): number {
  return Math.min(exitedAt ?? Infinity, lostAt ?? Infinity, diedAt ?? Infinity)
}
