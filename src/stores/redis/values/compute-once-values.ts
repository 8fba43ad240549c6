import type { KeepRequest, KeptValue, ValuesPort } from '../../../port/kind-ports.js'
import type { Link } from '../connection/link.js'
import { companionOf } from '../keys/companion-key.js'
import { listIn, textIn, timeLeft, yesIn } from '../scripts/replies.js'
import { runScript } from '../scripts/script.js'
import { computeOnceRead, computeOnceStore } from '../scripts/scripts.generated.js'

/** Values of computeOnce, each stored beside its lock: a string with a time to live. */
export class ComputeOnceValues implements ValuesPort {
  constructor(
    private readonly link: Link,
    private readonly keyPrefix: string,
  ) {}

  read(name: string): Promise<KeptValue | undefined> {
    return runScript(this.link, computeOnceRead, this.#valueKey(name), name, [], (reply) => {
      if (reply === null) return undefined
      const [text, left] = listIn(reply, 2, 2)
      return { text: textIn(text), remainingMs: timeLeft(left) }
    })
  }

  keep({ name, owner, text, keepMs }: KeepRequest): Promise<boolean> {
    const keys = [this.keyPrefix + name, this.#valueKey(name)] as const
    return runScript(this.link, computeOnceStore, keys, name, [owner, text, keepMs], yesIn)
  }

  #valueKey(name: string): string {
    return companionOf('holdfast_once', this.keyPrefix + name)
  }
}
