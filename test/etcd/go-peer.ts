import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { goProgram } from '../servers/go-program.js'

interface OpenOrder {
  readonly resolve: (answer: string) => void
  readonly reject: (error: Error) => void
}

/** A process that takes locks with Go's `concurrency.Mutex`, as it is told: see go-peer/main.go. */
export class GoPeer {
  readonly #open = new Map<string, OpenOrder>()
  readonly #exited: Promise<unknown>
  #orders = 0

  private constructor(private readonly process: ChildProcessByStdio<Writable, Readable, null>) {
    this.#exited = once(process, 'exit').then(([code, signal]) => {
      for (const { reject } of this.#open.values()) reject(new Error(`the peer ended with ${signal ?? code}`))
      this.#open.clear()
    })
    process.stdin.on('error', () => undefined)
    createInterface({ input: process.stdout }).on('line', (line) => this.#hear(line))
  }

  /** @param ttlSeconds of its sessions */
  static async start(urls: readonly string[], ttlSeconds: number): Promise<GoPeer> {
    const program = await goProgram(new URL('./go-peer/', import.meta.url), 'etcd-go-peer')
    const child = spawn(program, [urls.join(), String(ttlSeconds)], { stdio: ['pipe', 'pipe', 'inherit'] })
    const peer = new GoPeer(child)
    await new Promise<string>((resolve, reject) => peer.#open.set('ready', { resolve, reject }))
    return peer
  }

  /** Rejects with what Go says is wrong. */
  order(verb: 'lock' | 'unlock' | 'increase' | 'sections', ...terms: readonly string[]): Promise<string> {
    this.#orders += 1
    const id = String(this.#orders)
    return new Promise((resolve, reject) => {
      this.#open.set(id, { resolve, reject })
      this.process.stdin.write(`${[id, verb, ...terms].join(' ')}\n`)
    })
  }

  pause(): void {
    this.process.kill('SIGSTOP')
  }

  resume(): void {
    this.process.kill('SIGCONT')
  }

  /** Ends it as a crash would. */
  async kill(): Promise<void> {
    this.process.kill('SIGKILL')
    await this.#exited
  }

  #hear(line: string): void {
    const [id = '', ...words] = line.split(' ')
    const answer = words.join(' ')
    const order = this.#open.get(id)
    this.#open.delete(id)
    if (answer.startsWith('!')) order?.reject(new Error(answer.slice(1)))
    else order?.resolve(answer)
  }
}
