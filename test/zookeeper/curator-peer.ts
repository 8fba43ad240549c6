import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { classpathOf } from '../interop/java-build.js'

/** A process that takes a lock of Curator's. */
export interface CuratorPeer {
  /** `acquire`, `release` or `count N FILE`. Resolves when it has done so. */
  tell(line: string): Promise<void>
  kill(): void
  pause(): void
  resume(): void
  stop(): Promise<void>
}

export async function startCurator(
  servers: string,
  sessionMs: number,
  kind: 'mutex' | 'read' | 'write',
  path: string,
): Promise<CuratorPeer> {
  const child = spawn(
    'java',
    ['-Xmx128m', '-XX:+UseSerialGC', '-cp', classpathOf('curator')].concat([
      'holdfast.interop.CuratorPeer',
      servers,
      String(sessionMs),
      kind,
      path,
    ]),
    { stdio: ['pipe', 'pipe', 'ignore'] },
  )
  const ended = once(child, 'exit')
  child.stdin.on('error', () => undefined)
  const answers = createInterface(child.stdout)[Symbol.asyncIterator]()
  const answer = async (): Promise<void> => {
    if ((await answers.next()).done) throw new Error('Curator’s process has ended')
  }
  await answer()
  return {
    tell: async (line) => {
      child.stdin.write(`${line}\n`)
      await answer()
    },
    kill: () => void child.kill('SIGKILL'),
    pause: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
    stop: async () => {
      child.kill('SIGKILL')
      await ended
    },
  }
}
