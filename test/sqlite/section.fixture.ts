/* A process that enters sections of a fenced lock, each noted in a file when it begins and when it ends, until it is told to stop. */
import { appendFileSync } from 'node:fs'
import process from 'node:process'
import { Holdfast } from '../../src/index.js'
import { sqlite } from '../../src/stores/sqlite/index.js'

export interface SectionTask {
  readonly path: string
  readonly notes: string
  readonly calls: number
}

const { path, notes, calls }: SectionTask = JSON.parse(process.argv[2] ?? '')
const holdfast = new Holdfast(sqlite(path))
holdfast.on('error', (error) => console.error(error))
let going = true
process.on('message', () => {
  going = false
})
const note = (what: string, fence: bigint | undefined): void =>
  appendFileSync(notes, `${what} ${process.pid} ${fence}\n`)
const call = async (): Promise<void> => {
  while (going) {
    await holdfast.fencedLock('one').withLock(async ({ fence }) => {
      note('in', fence)
      for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve))
      note('out', fence)
    })
  }
}
process.send?.('goes')
await Promise.all(Array.from({ length: calls }, call))
await holdfast.close()
process.disconnect()
