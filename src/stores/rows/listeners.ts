import type { Told, Way } from './line.js'

/** The clients that wait outside a line and are told of every change, as a row keeps them. A client that no message reaches is dropped. */
export class Listeners {
  constructor(
    private readonly clients: string[],
    private readonly way: Way,
  ) {}

  get count(): number {
    return this.clients.length
  }

  add(client: string): void {
    if (!this.clients.includes(client)) this.clients.push(client)
  }

  remove(client: string): void {
    const at = this.clients.indexOf(client)
    if (at >= 0) this.clients.splice(at, 1)
  }

  /** Returns how many others than `by` were told. */
  announce(told: Told, by?: string): number {
    let others = 0
    for (const client of [...this.clients]) {
      if (!this.way.reaches(client)) this.remove(client)
      else {
        this.way.tell(client, told)
        if (client !== by) others += 1
      }
    }
    return others
  }
}
