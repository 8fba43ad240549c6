/** A room that only one may be in: counts who is inside, and how many ever were at once. */
export class Room {
  most = 0
  visits = 0
  #inside = 0

  /** Stays for some turns of the event loop, so that whoever wrongly gets in too is there at the same time. */
  async visit(): Promise<void> {
    this.#inside += 1
    this.visits += 1
    this.most = Math.max(this.most, this.#inside)
    for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve))
    this.#inside -= 1
  }
}
