import { readFile } from 'node:fs/promises'

/** What Linux counts processor time in, unless somebody has built it otherwise. */
const TICK_MS = 10

/** How often to look again where children end meanwhile. */
const LOOKS = 5

/** Processor time of a process and of all that it has started, those included that have ended; undefined where `/proc` does not tell. */
export async function processCpuMs(pid: number | undefined): Promise<number | undefined> {
  if (pid === undefined) return undefined
  for (let look = 1; ; look += 1) {
    const before = await childrenOf(pid)
    const times = await Promise.all([ownCpuMs(pid), ...before.map(processCpuMs)])
    // The time of a child that ends goes over to its parent: one that did so in between would count twice, or not at all.
    const same = `${await childrenOf(pid)}` === `${before}`
    const [own, ...children] = times
    if (own === undefined) return undefined
    if (same || look === LOOKS) return children.reduce<number>((sum, ms) => sum + (ms ?? 0), own)
  }
}

async function childrenOf(pid: number): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '')
  return text.split(' ').filter(Boolean).map(Number)
}

/** That of children that have ended is in it. */
async function ownCpuMs(pid: number): Promise<number | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  // The name, in parentheses, may have spaces. After it stands the third field; the fourteenth to the seventeenth are times.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ')
  return fields?.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks) * TICK_MS, 0)
}
