import process from 'node:process'
import { createInterface } from 'node:readline/promises'
import { isatty } from 'node:tty'

/** Whether there is somebody to ask. */
export function canAsk(): boolean {
  return isatty(0) && isatty(2)
}

/** Asks on standard error, so that the answer to the command itself stays alone on standard output. Anything but yes is no. */
export async function ask(question: string, signal: AbortSignal): Promise<boolean> {
  // A terminal that goes away is the end of input.
  process.stderr.on('error', () => undefined)
  const dialogue = createInterface({ input: process.stdin, output: process.stderr })
  // End of input, or Ctrl-C typed at the question, is no answer; the interface would then wait for ever.
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
