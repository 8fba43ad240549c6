import { readdir, readFile } from 'node:fs/promises'

/** Whether every thread of that process is stopped; where the system does not tell, it is taken to be. */
export async function standsStill(pid: number): Promise<boolean> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => [])
  const states = await Promise.all(
    threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/stat`, 'utf8').catch(() => ') T ')),
  )
  return states.every((state) => /\) [TtZX] /.test(state))
}
