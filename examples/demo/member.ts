import { type ChildProcess, fork } from 'node:child_process'
import { type Brief, isNews, type News, type Order } from './message.js'
import { emptyTally, type Tally } from './tally.js'

/** A worker process, as the one that forked it sees it. */
export class Member {
  tally: Tally = emptyTally()
  doing: 'starting' | 'working' | 'staying inside' | 'resting' | 'killed' = 'starting'
  /** When it last entered the bank. */
  enteredAt = Number.NEGATIVE_INFINITY
  readonly #child: ChildProcess

  constructor(
    readonly number: number,
    brief: Brief,
    onNews: (member: Member, news: News) => void,
  ) {
    this.#child = fork(new URL('./worker.ts', import.meta.url), [JSON.stringify(brief)], {
      execArgv: ['--import', import.meta.resolve('tsx')],
    })
    this.#child.on('message', (message) => {
      if (isNews(message)) onNews(this, this.#note(message))
    })
    this.#child.once('exit', (code, signal) => {
      if (this.doing !== 'killed')
        onNews(this, { news: 'failed', why: `ended by ${signal ?? `exit code ${code}`}` })
    })
  }

  get pid(): number | undefined {
    return this.#child.pid
  }

  tell(order: Order): void {
    if (order.order === 'work') {
      this.tally = emptyTally()
      this.doing = 'working'
    }
    this.#child.send(order)
  }

  /** Ends it as a crash would: nothing of its own gets to run any more. */
  async kill(): Promise<void> {
    this.doing = 'killed'
    const { exitCode, signalCode } = this.#child
    if (exitCode !== null || signalCode !== null) return
    const ended = new Promise((resolve) => this.#child.once('exit', resolve))
    this.#child.kill('SIGKILL')
    await ended
  }

  #note(news: News): News {
    if ('tally' in news) this.tally = news.tally
    if (news.news === 'entered') this.enteredAt = news.at
    if (news.news === 'staying') this.doing = 'staying inside'
    if (news.news === 'ready' || news.news === 'resting') this.doing = 'resting'
    return news
  }
}
