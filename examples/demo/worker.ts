/* One worker process: does the clerk's work, in several tasks at once, until it is told otherwise. */
import process from 'node:process'
import { setTimeout as delay } from 'node:timers/promises'
import { Holdfast } from 'holdfast'
import { Clerk, type Exclude } from './clerk.js'
import { Ledger } from './ledger.js'
import { locksAt } from './locks.js'
import { type Brief, DEPTH, isOrder, type News } from './message.js'
import { emptyTally, type Tally } from './tally.js'

/** Tasks of one process exclude each other just as processes do. */
const TASKS = 2

const brief: Brief = JSON.parse(process.argv[2] ?? '')
const locks = locksAt(brief.url)
const holdfast = new Holdfast(locks.place, { watchdogMs: brief.watchdogMs })
const bank = `${brief.prefix}bank`
let tally: Tally = emptyTally()
let working = false
let stay = false

const withLock: Exclude = (name, section) => holdfast.lock(`${brief.prefix}${name}`).withLock(section)
const withoutLock: Exclude = (_name, section) => section()

holdfast.on('acquired', ({ name, holdCount }) => {
  tally.holds = Math.max(tally.holds, holdCount)
  if (name === bank && holdCount === 1) tell({ news: 'entered', at: Date.now() })
})

process.on('message', (message) => {
  if (!isOrder(message)) return
  if (message.order === 'rest') working = false
  else if (message.order === 'stay') stay = true
  else void work(new Ledger(message.dir), message.guarded ? withLock : withoutLock)
})
process.once('disconnect', async () => {
  // What a task is about to write it may finish.
  working = false
  await holdfast.close({ drainMs: 500 })
  process.exit()
})
// Ctrl-C is for the whole group; the process that forked this one sees to the end of it.
process.on('SIGINT', () => undefined)
tell({ news: 'ready' })

async function work(ledger: Ledger, exclude: Exclude): Promise<void> {
  working = true
  tally = emptyTally()
  const clerks = Array.from({ length: TASKS }, () => new Clerk(ledger, exclude, pause, tally))
  try {
    await Promise.all(clerks.map(serve))
    tell({ news: 'resting', tally })
  } catch (error) {
    tell({ news: 'failed', why: error instanceof Error ? String(error.stack) : String(error) })
  }
}

async function serve(clerk: Clerk): Promise<void> {
  while (working) {
    await clerk.serve()
    tell({ news: 'progress', tally })
    await delay(Math.random() * 10)
  }
}

/** Between read and write: time for somebody else to come between. */
async function pause(depth: number): Promise<void> {
  await delay(Math.random() * 3)
  if (!stay || depth < DEPTH) return
  tell({ news: 'staying', at: Date.now(), tally })
  await new Promise<never>(() => undefined)
}

function tell(news: News): void {
  // Nobody left to tell: the process is about to end.
  if (process.connected) process.send?.(news, undefined, undefined, () => undefined)
}
