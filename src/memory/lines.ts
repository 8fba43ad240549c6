import type { Place } from '../rows/place.js'
import type { Clock } from '../time/clock.js'
import { MemoryAnnouncements } from './announcements.js'
import { MemoryLine, type Served, type Told } from './line.js'

/** The lines of the locks of a kind, by name, and the channels of the processes in them. */
export class MemoryLines<P extends Place> {
  readonly channels = new MemoryAnnouncements<Told<P>>()
  readonly #lines = new Map<string, MemoryLine<P>>()

  constructor(
    private readonly clock: Pick<Clock, 'now'>,
    private readonly serve: (name: string) => Served<P>,
  ) {}

  /** The line of that lock, unless it is empty. */
  at(name: string): MemoryLine<P> | undefined {
    const line = this.#lines.get(name)
    if (!line?.empty) return line
    this.#lines.delete(name)
    return undefined
  }

  /** The line of that lock, for a place that is about to join. */
  open(name: string): MemoryLine<P> {
    const standing = this.at(name)
    if (standing) return standing
    const line = new MemoryLine(this.clock, this.serve(name), {
      reaches: (client) => this.channels.count(channelOf(name, client)) > 0,
      tell: (client, told) => this.channels.announce(channelOf(name, client), told),
    })
    this.#lines.set(name, line)
    return line
  }
}

/** The channel of that client for that lock's line. */
export function channelOf(name: string, client: string): string {
  return `${client}:${name}`
}
