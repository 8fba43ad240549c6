import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { goProgram } from '../servers/go-program.js'

/** A process that takes locks with Go's `concurrency.Mutex`, as it is told: see go-peer/main.go. */
export class GoPeer {
  readonly #open = new Map<string, (answer: string | Error) => void>()
  readonly #exited: Promise<unknown>
  #orders = 0

  private constructor(private readonly process: ChildProcessByStdio<Writable, Readable, null>) {
    this.#exited = once(process, 'exit').then(([code, signal]) => {
      for (const answer of this.#open.values()) answer(new Error(`the peer ended with ${signal ?? code}`))
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
    await peer.#answerTo('ready')
    return peer
  }

  /** Rejects with what Go says is wrong. */
  order(verb: 'lock' | 'unlock' | 'increase' | 'sections', ...terms: readonly string[]): Promise<string> {
    this.#orders += 1
    const id = String(this.#orders)
    this.process.stdin.write(`${[id, verb, ...terms].join(' ')}\n`)
    return this.#answerTo(id)
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

  async #answerTo(id: string): Promise<string> {
    const answer = await new Promise<string | Error>((resolve) => this.#open.set(id, resolve))
    if (answer instanceof Error) throw answer
    return answer
  }

  #hear(line: string): void {
    const [id = '', ...words] = line.split(' ')
    const answer = words.join(' ')
    this.#open.get(id)?.(answer.startsWith('!') ? new Error(answer.slice(1)) : answer)
    this.#open.delete(id)
  }
}
