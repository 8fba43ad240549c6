import { readFileSync, readlinkSync } from 'node:fs'
import process from 'node:process'
import { codeOf } from '../../base/errors/is-error.js'

/** How other processes of the machine recognise a process. */
export interface ProcessMark {
  readonly pid: number
  /** When it started, in the kernel's ticks; undefined where the system does not tell. */
  readonly started: string | undefined
  /** The space in which its pid is unique; undefined on a system with one such space. */
  readonly namespace: string | undefined
}

export function ownMark(): ProcessMark {
  return { pid: process.pid, started: readState('self')?.started, namespace: ownNamespace() }
}

/** Whether that process has surely ended. Of a process that another user hides, or in another container, nobody here knows. */
export function hasEnded(mark: ProcessMark, own: ProcessMark): boolean {
  if (mark.namespace !== own.namespace) return false
  // Without /proc, a process of another container may have any number.
  if (process.platform === 'linux' && own.namespace === undefined) return false
  if (mark.pid === own.pid) return mark.started !== own.started
  if (!exists(mark.pid)) return true
  const state = readState(mark.pid)
  if (state === undefined) return false
  // One that has ended stays until its parent has asked how; one with the same number may have come after it.
  return state.letter === 'Z' || state.letter === 'X' || state.started !== mark.started
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // A refused signal shows that the process exists.
    return codeOf(error) !== 'ESRCH'
  }
}

function readState(pid: number | 'self'): { readonly letter: string; readonly started: string } | undefined {
  if (process.platform !== 'linux') return undefined
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The program's name comes before, in brackets, and may have any characters.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const [letter] = fields
    const started = fields[19]
    return letter === undefined || started === undefined ? undefined : { letter, started }
  } catch {
    return undefined
  }
}

function ownNamespace(): string | undefined {
  if (process.platform !== 'linux') return undefined
  try {
    return readlinkSync('/proc/self/ns/pid')
  } catch {
    return undefined
  }
}
