import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { classpathOf } from './java-build.js'

/** A Redisson in a JVM of its own, which takes orders. A thread name stands for one Java thread. */
export class RedissonPeer {
  readonly #process: ChildProcessByStdio<Writable, Readable, null>
  readonly #exited: Promise<unknown>
  readonly #open = new Map<string, { resolve(answer: string): void; reject(error: Error): void }>()
  #orders = 0

  private constructor(addresses: readonly string[], watchdogMs: number) {
    this.#process = spawn(
      'java',
      [
        ...['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-Xmx256m'],
        ...['-cp', classpathOf('redisson'), 'holdfast.Peer', addresses.join(','), String(watchdogMs)],
      ],
      { stdio: ['pipe', 'pipe', 'inherit'] },
    )
    this.#exited = once(this.#process, 'exit').then(([code, signal]) => {
      for (const { reject } of this.#open.values()) reject(new Error(`the JVM ended with ${signal ?? code}`))
      this.#open.clear()
    })
    // An order to a JVM that has ended is rejected by the above.
    this.#process.stdin.on('error', () => undefined)
  }

  /** @param watchdogMs the lease that Redisson's watchdog keeps up. */
  static async start(addresses: readonly string[], watchdogMs: number): Promise<RedissonPeer> {
    const peer = new RedissonPeer(addresses, watchdogMs)
    await new Promise((resolve, reject) => {
      peer.#open.set('ready', { resolve, reject })
      createInterface({ input: peer.#process.stdout }).on('line', (line) => peer.#hear(line))
    })
    return peer
  }

  /**
   * @param order the kind and what to do with it: see the peer's `…Orders.java`.
   * @returns what Java answered, as text. Rejects with the name of the Java exception.
   */
  order(thread: string, order: string, name: string, ...args: Array<string | number>): Promise<string> {
    this.#orders += 1
    const id = String(this.#orders)
    return new Promise((resolve, reject) => {
      this.#open.set(id, { resolve, reject })
      this.#process.stdin.write(`${[id, thread, order, name, ...args].join(' ')}\n`)
    })
  }

  async kill(): Promise<void> {
    this.#process.kill('SIGKILL')
    await this.#exited
  }

  #hear(line: string): void {
    const [id = '', answer = ''] = line.split(' ')
    const waiting = this.#open.get(id)
    this.#open.delete(id)
    if (answer.startsWith('!')) waiting?.reject(new Error(answer.slice(1)))
    else waiting?.resolve(answer)
  }
}
