import { setTimeout as sleep } from 'node:timers/promises'
import type { Output } from './output.js'

/**
 * After so much silence the program says so: the server may be gone, or the address wrong. Counted in steps, each of which lets an answer that
 * has arrived be read: a program that gets no processor does not take that for the server's silence.
 */
const STEPS = 8
const STEP_MS = 100

/** The first answer of the server, which tells the user when it is late. */
export async function firstAnswer<Result>(asking: Promise<Result>, output: Output): Promise<Result> {
  const answered = new AbortController()
  const { signal } = answered
  const listen = async (): Promise<void> => {
    for (let step = 0; step < STEPS; step += 1) await sleep(STEP_MS, undefined, { signal })
    output.note('no-answer', 'the server has not answered yet; still trying. Is --url or HOLDFAST_URL right?')
  }
  listen().catch(() => undefined)
  try {
    return await asking
  } finally {
    answered.abort()
  }
}
