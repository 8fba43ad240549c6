/* A candidate in a process of its own, which says when it is elected and, when asked, whether it believes to lead. */
import process from 'node:process'
import { Holdfast, type Term } from '../../src/index.js'
import { standaloneClient } from '../setup/clients.js'

export interface Task {
  readonly server: { host: string; port: number }
  readonly name: string
  readonly watchdogMs: number
}

export type Word = { elected: string } | { leads: boolean; aborted: boolean } | { ended: string }

const task: Task = JSON.parse(process.argv[2] ?? '')
const say = (word: Word): unknown => process.send?.(word)
const holdfast = new Holdfast(standaloneClient(task.server), { watchdogMs: task.watchdogMs })
let latest: Term | undefined
holdfast.leader(task.name, {
  onElected: (term) => {
    latest = term
    say({ elected: String(term.fence) })
  },
  onRevoked: (ended) => void say({ ended }),
})
process.on('message', () => {
  const term = latest
  let leads = true
  try {
    term?.assertLeading()
  } catch {
    leads = false
  }
  say({ leads, aborted: term?.signal.aborted === true })
})
