import { type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { open, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Launcher, LaunchOrder, Running } from './launch.js'

/** A program and what must precede the server's own arguments. */
export type Command = readonly [program: string, ...before: string[]]

export function processLauncher(command: Command): Launcher {
  return { listening: ['--bind', '127.0.0.1'], launch: (order) => launch(command, order) }
}

/** @param options beside those that every server has: as whom it runs, and what it finds in its environment */
export async function launch(
  [program, ...before]: Command,
  { args, dir, undo }: Omit<LaunchOrder, 'port'>,
  options: SpawnOptions = {},
): Promise<Running> {
  // A file, not a pipe: an open pipe would keep this process alive as long as the server runs.
  const output = await open(join(dir, 'output.txt'), 'w')
  const child = spawn(program, [...before, ...args], {
    ...options,
    cwd: dir,
    // A session of its own: Ctrl-C at the terminal is for the tests, which then stop their servers in order.
    detached: true,
    stdio: ['ignore', output.fd, output.fd],
  })
  child.unref()
  // Its number may soon be another's.
  child.once('exit', () => undo(''))
  await once(child, 'spawn').finally(() => output.close())
  undo(`kill -9 ${child.pid}`)
  return {
    pid: child.pid,
    signal: async (name) => {
      child.kill(name)
    },
    lastWords: async () => {
      if (child.exitCode === null && child.signalCode === null) return undefined
      return (await readFile(join(dir, 'output.txt'), 'utf8')).trim()
    },
    discard: async () => {},
  }
}

/** Whether every thread of that process is stopped; where the system does not tell, it is taken to be. */
export async function standsStill(pid: number): Promise<boolean> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => [])
  const states = await Promise.all(
    threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/stat`, 'utf8').catch(() => ') T ')),
  )
  return states.every((state) => /\) [TtZX] /.test(state))
}
