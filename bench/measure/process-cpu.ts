import { readFile } from 'node:fs/promises'

/** What Linux counts processor time in, unless somebody has built it otherwise. */
const TICK_MS = 10

/** Processor time of a process and of all that it has started, those included that have ended; undefined where `/proc` does not tell. */
export async function processCpuMs(pid: number | undefined): Promise<number | undefined> {
  if (pid === undefined) return undefined
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  if (stat === undefined) return undefined
  // The name, in parentheses, may have spaces. After it stands the third field; the fourteenth to the seventeenth are times.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const own = fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks) * TICK_MS, 0)
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '')
  const times = await Promise.all(children.split(' ').filter(Boolean).map(Number).map(processCpuMs))
  return times.reduce<number>((sum, ms) => sum + (ms ?? 0), own)
}
