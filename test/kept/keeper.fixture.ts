/** A process, or a thread of one, that keeps a lock with nobody inside, and meets its fate in that very turn. */
import process from 'node:process'
import { isMainThread, parentPort, Worker } from 'node:worker_threads'
import { Holdfast } from '../../src/index.js'
import { type At, openAt } from './at.js'

export interface KeeperTask {
  readonly at: At
  readonly name: string
  readonly watchdogMs: number
  readonly lingerMs?: number
  readonly watchdogThread?: boolean
  readonly inThread?: boolean
  readonly fate: 'exits' | 'is killed' | 'is stopped' | 'is blocked' | 'is terminated'
}

const task: KeeperTask = JSON.parse(process.argv[2] ?? '')
const say = (word: unknown): void => {
  if (parentPort) parentPort.postMessage(word)
  else process.send?.(word)
}
if (task.inThread && isMainThread) {
  const thread = new Worker(new URL(import.meta.url), { argv: process.argv.slice(2) })
  thread.on('message', (word) => {
    if (task.fate === 'is terminated') void thread.terminate()
    say(word)
  })
  // The process itself lives on.
  process.on('message', () => undefined)
} else await keep()

async function keep(): Promise<void> {
  const { at, name, fate, inThread: _, ...options } = task
  const holdfast = new Holdfast(openAt(at).store, options)
  const lock = holdfast.lock(name)
  do await (await lock.acquire()).release()
  while (holdfast.census.tenures === 0)
  say('keeps')
  if (fate === 'exits') process.exit()
  if (fate === 'is blocked' || fate === 'is terminated') for (;;);
  process.kill(process.pid, fate === 'is killed' ? 'SIGKILL' : 'SIGSTOP')
  // It goes on where it was stopped.
  process.once('message', async () => {
    await (await lock.acquire()).release()
    say('released')
    await holdfast.close()
    process.exit()
  })
  say((await lock.tryAcquire()) ? 'enters' : 'is refused')
}
