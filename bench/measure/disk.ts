import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { median } from './percentile.js'

const WRITES = 200

/** What it takes to write some bytes in that folder and to know them on the disk: the median, in ms. Every commit waits for that. */
export async function flushMs(folder: string): Promise<number | undefined> {
  const path = join(folder, 'flush')
  const file = await open(path, 'w')
  const times: number[] = []
  try {
    for (let write = 0; write < WRITES; write += 1) {
      const from = performance.now()
      await file.write('something', 0)
      await file.datasync()
      times.push(performance.now() - from)
    }
  } finally {
    await file.close()
    await rm(path, { force: true })
  }
  return median(times)
}
