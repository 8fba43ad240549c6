import type { Way } from './line.js'
import type { Told } from './told.js'

/**
 * The clients that wait outside a line, as a row lists them: they hear of every change. A change drops a client that no message reaches.
 */
export class Listeners {
  constructor(
    private readonly clients: string[],
    private readonly way: Way,
  ) {}

  get count(): number {
    return this.clients.length
  }

  add(client: string): void {
    enlist(this.clients, client)
  }

  /** Returns how many clients other than `by` it tells. */
  announce(told: Told, by?: string): number {
    let others = 0
    for (const client of [...this.clients]) {
      if (!this.way.reaches(client)) unlist(this.clients, client)
      else {
        this.way.tell(client, told)
        if (client !== by) others += 1
      }
    }
    return others
  }
}

export function enlist(listeners: string[], client: string): void {
  if (!listeners.includes(client)) listeners.push(client)
}

export function unlist(listeners: string[], client: string): void {
  const at = listeners.indexOf(client)
  if (at >= 0) listeners.splice(at, 1)
}
