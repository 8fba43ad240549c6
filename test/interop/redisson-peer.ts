import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const project = fileURLToPath(new URL('./redisson/', import.meta.url))

/** Builds the peer where that was not done yet. Why no Redisson can be run here; undefined when one can. */
export function whyNoRedisson(): string | undefined {
  for (const tool of ['java', 'mvn']) {
    if (spawnSync(tool, ['-version'], { stdio: 'ignore' }).error) return `${tool} is not installed`
  }
  if (existsSync(`${project}target/redisson-peer-1.jar`)) return undefined
  const build = spawnSync('mvn', ['-q', '-B', 'package'], { cwd: project, encoding: 'utf8' })
  return build.status === 0 ? undefined : `mvn package failed: ${build.stdout.slice(0, 500)}`
}

/** A Redisson in a JVM of its own, which takes orders. A thread name stands for one Java thread. */
export class RedissonPeer {
  readonly #process: ChildProcess
  readonly #open = new Map<string, { resolve: (answer: string) => void; reject: (error: Error) => void }>()
  #orders = 0

  private constructor(process: ChildProcess) {
    this.#process = process
  }

  static async start(addresses: readonly string[], watchdogMs: number): Promise<RedissonPeer> {
    const classpath = `${project}target/classes:${project}target/dependency/*`
    const args = [
      '-XX:TieredStopAtLevel=1',
      '-cp',
      classpath,
      'holdfast.Peer',
      addresses.join(','),
      String(watchdogMs),
    ]
    const jvm = spawn('java', args, { stdio: ['pipe', 'pipe', 'inherit'] })
    const peer = new RedissonPeer(jvm)
    await new Promise<void>((resolve, reject) => {
      jvm.once('exit', (code) => reject(new Error(`the JVM ended with ${code}`)))
      createInterface({ input: jvm.stdout }).on('line', (line) => {
        if (line === 'ready') resolve()
        else peer.#hear(line)
      })
    })
    return peer
  }

  /** Rejects with the name of the Java exception. */
  order(thread: string, order: string, ...args: Array<string | number>): Promise<string> {
    this.#orders += 1
    const id = String(this.#orders)
    return new Promise((resolve, reject) => {
      this.#open.set(id, { resolve, reject })
      this.#process.stdin?.write(`${[id, thread, order, ...args].join(' ')}\n`)
    })
  }

  /** Ends the JVM as a crash would. */
  kill(): void {
    this.#process.kill('SIGKILL')
  }

  #hear(line: string): void {
    const [id = '', answer = ''] = line.split(' ')
    const waiting = this.#open.get(id)
    this.#open.delete(id)
    if (answer.startsWith('!')) waiting?.reject(new Error(answer.slice(1)))
    else waiting?.resolve(answer)
  }
}
