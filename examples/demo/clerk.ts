import type { Ledger } from './ledger.js'
import type { Tally } from './tally.js'

/** Runs a critical section of that name, by whatever means keep others out. */
export type Exclude = (name: string, section: () => Promise<void>) => Promise<void>

const ACCOUNTS = ['alice', 'bob', 'carol']

/**
 * The work. Its functions call each other, and each takes the lock it needs, because each is also called by itself: a transfer
 * books twice, a booking is noted. The bank's lock is thus taken by the owner that has it already.
 */
export class Clerk {
  #depth = 0

  constructor(
    private readonly ledger: Ledger,
    private readonly exclude: Exclude,
    private readonly pause: (depth: number) => Promise<void>,
    private readonly tally: Tally,
  ) {}

  /** A piece of work such as comes along. */
  async serve(): Promise<void> {
    const [from, to] = [any(ACCOUNTS), any(ACCOUNTS)]
    const chance = Math.random()
    if (chance < 0.6) await this.transfer(from, to)
    else if (chance < 0.8) await this.book(from)
    else await this.note()
  }

  async transfer(from: string, to: string): Promise<void> {
    await this.#section('bank', async () => {
      await this.book(from)
      await this.book(to)
    })
  }

  async book(account: string): Promise<void> {
    await this.#section('bank', async () => {
      await this.#enter(account)
      await this.note()
    })
  }

  async note(): Promise<void> {
    await this.#section('journal', () => this.#enter('journal'))
  }

  async #section(name: string, body: () => Promise<void>): Promise<void> {
    await this.exclude(name, async () => {
      this.#depth += 1
      this.tally.depth = Math.max(this.tally.depth, this.#depth)
      await body()
      this.#depth -= 1
      this.tally.sections += 1
    })
  }

  async #enter(page: string): Promise<void> {
    await this.ledger.enter(page, () => this.pause(this.#depth))
    this.tally.updates += 1
  }
}

function any(names: readonly string[]): string {
  return names[Math.floor(Math.random() * names.length)] ?? ''
}
