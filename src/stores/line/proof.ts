import { createHash, randomBytes } from 'node:crypto'

/** A process asks for the same few locks again and again. */
const WORDS_KEPT = 1_000

/**
 * The words by which a client knows a message about a grant: for each line another one, which the client leaves there with its place. Who
 * may not read the line's key does not know it, and can let nobody in by a message of its own.
 */
export class Words {
  readonly #secret = randomBytes(32)
  readonly #known = new Map<string, string>()

  of(key: string): string {
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const word = createHash('sha256').update(this.#secret).update(key).digest('base64url')
    if (this.#known.size === WORDS_KEPT) this.#known.clear()
    this.#known.set(key, word)
    return word
  }
}

/** What shows that a text is of who knows the word. (Twice, since a hash of what begins with a secret can be carried on without it.) */
export function proofOf(hash: 'sha1' | 'sha256', word: string, text: string): string {
  return createHash(hash)
    .update(word + text + word)
    .digest('hex')
}
