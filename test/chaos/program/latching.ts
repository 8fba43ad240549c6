import type { Holdfast } from '../../../src/index.js'
import { EVERYTHING, type Told } from '../history/event.js'
import type { Numbers } from './numbers.js'
import { outcomeOf } from './outcome.js'
import type { LatchStep } from './step.js'

/**
 * Closes latches for a while and waits for them. In the history whoever has closed one is inside, and takes all that there is; who
 * waited is let in for a moment.
 */
export class Latching {
  constructor(
    private readonly holdfast: Holdfast,
    private readonly numbers: Numbers,
    private readonly write: (told: Told) => void,
  ) {}

  /** @param between what is done while the latch is closed */
  async carryOut({ name, closes, waitMs }: LatchStep, between: () => Promise<void>): Promise<void> {
    const latch = this.holdfast.countDownLatch(name)
    this.numbers.calls += 1
    const c = this.numbers.calls
    const [way, takes] = closes ? (['trySetCount', EVERYTHING] as const) : (['await', 1] as const)
    const about = { kind: 'latch', way, names: [name], room: EVERYTHING, takes, scope: [], opens: [] }
    this.write({ e: 'call', c, ...about, waitMs: closes ? 0 : waitMs })
    let entered = false
    const enter = (): void => {
      entered = true
      // It is closed until it is counted down, whatever becomes of this process.
      this.write({ e: 'enter', c, left: 1e9 })
    }
    let how = 'ok'
    try {
      if (!closes) {
        await latch.await({ waitMs })
        enter()
        this.write({ e: 'exit', c })
      } else if (await latch.trySetCount(1)) {
        enter()
        await between()
        this.write({ e: 'exit', c })
        await latch.countDown()
      } else how = 'busy'
    } catch (error) {
      how = outcomeOf(error) ?? 'wrong'
      if (how === 'wrong') this.write({ e: 'wrong', what: `${way} of ${name}: ${String(error)}` })
    }
    this.write(entered ? { e: 'done', c, how } : { e: 'fail', c, how })
  }
}
