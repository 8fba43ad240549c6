/** More of them are not worth remembering. */
const MOST = 1_000

/** Locks for which other clients waited when this one saw their rows last: to give one back is more than to free it. */
export class WaitedFor {
  readonly #names = new Set<string>()

  has(name: string): boolean {
    return this.#names.has(name)
  }

  saw(name: string, waitedFor: boolean): void {
    if (!waitedFor) this.#names.delete(name)
    else if (this.#names.size < MOST) this.#names.add(name)
  }
}
