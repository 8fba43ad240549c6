import { createHash, randomBytes } from 'node:crypto'

/**
 * The words by which a client knows a message about a grant: for each line another one, which the client leaves there with its place. Who
 * may not read the line's key does not know it, and can let nobody in by a message of its own.
 */
export class Words {
  readonly #secret = randomBytes(32)

  of(key: string): string {
    return createHash('sha256').update(this.#secret).update(key).digest('base64url')
  }
}

/** Proves that the writer of a text knows the word. (The word stands at both ends: whoever sees a hash of a secret and a text can extend the text.) */
export function proofOf(hash: 'sha1' | 'sha256', word: string, text: string): string {
  return createHash(hash)
    .update(word + text + word)
    .digest('hex')
}
