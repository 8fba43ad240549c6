import process from 'node:process'

const endings = new Set<() => void>()
let exiting = false

function end(): void {
  exiting = true
  for (const each of [...endings])
    try {
      each()
    } catch {
      // An error would change how the process exits, and nobody is left to hear of it.
    }
}

/** Whether no turn of the event loop is to come, nor a tick: what is to be written must be written now. */
export function isExiting(): boolean {
  return exiting
}

/**
 * Has that done as the process, or the worker thread, exits by itself or by `process.exit()`: without waiting for anything. A signal that
 * ends the process leaves no time for it. One listener stands for all.
 *
 * @returns what takes it back
 */
export function atExit(work: () => void): () => void {
  if (endings.size === 0) process.on('exit', end)
  endings.add(work)
  return () => {
    if (endings.delete(work) && endings.size === 0) process.off('exit', end)
  }
}
