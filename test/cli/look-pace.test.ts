import { expect, test } from 'vitest'
import { eachInTurn, lookAtEach } from '../../src/cli/catalogue.js'

/** Notes what is let go on, and what it is for. */
function noted(): { readonly log: Array<number | string>; pace(commands: number): Promise<void> } {
  const log: Array<number | string> = []
  return { log, pace: async (commands) => void log.push(commands) }
}

test('no look begins before its own commands are allowed: ten at once were 305 in a second', async () => {
  const { log, pace } = noted()
  const look = async (name: string): Promise<readonly never[]> => {
    log.push(name)
    return []
  }
  await lookAtEach({ look }, ['a', 'b', 'c'], pace, () => undefined)
  expect(log).toEqual([10, 'a', 10, 'b', 10, 'c'])
})

test('those under way are waited for, in their order; the first failure is told', async () => {
  const { pace } = noted()
  expect(await eachInTurn([3, 1, 2], 1, pace, async (item) => item * 2)).toEqual([6, 2, 4])
  const failing = eachInTurn([1, 2], 1, pace, (item) => Promise.reject(new Error(`no ${item}`)))
  await expect(failing).rejects.toThrow('no 1')
})
