import process from 'node:process'
import { createInterface } from 'node:readline/promises'
import { isatty } from 'node:tty'

/** Whether there is a terminal to ask on. */
export function canAsk(): boolean {
  return isatty(0) && isatty(2)
}

/** Asks on standard error, so that only the command's result is on standard output. Anything but yes means no. */
export async function ask(question: string, signal: AbortSignal): Promise<boolean> {
  // A vanished terminal counts as end of input.
  process.stderr.on('error', () => undefined)
  const dialogue = createInterface({ input: process.stdin, output: process.stderr })
  // On end of input, or Ctrl-C at the question, the interface would wait for ever.
  const left = new Promise<string>((resolve) => {
    dialogue.once('close', () => resolve(''))
  })
  dialogue.on('SIGINT', () => process.kill(process.pid, 'SIGINT'))
  try {
    const answer = await Promise.race([dialogue.question(question, { signal }), left])
    return /^\s*y(es)?\s*$/i.test(answer)
  } catch (error) {
    if (signal.aborted) return false
    throw error
  } finally {
    dialogue.close()
  }
}
