import { tracingChannel } from 'node:diagnostics_channel'

/** What was published: on which sub-channel, the message itself, and what it said at that moment. */
export interface Told<Trace extends object> {
  readonly event: 'start' | 'end' | 'asyncStart' | 'asyncEnd' | 'error'
  readonly trace: Trace
  readonly said: Trace
}

/** Listens to a channel of Holdfast's for the length of a test. */
export class Listener<Trace extends object> implements Disposable {
  readonly told: Told<Trace>[] = []
  readonly #channel
  readonly #subscribers = {
    start: this.#hear('start'),
    end: this.#hear('end'),
    asyncStart: this.#hear('asyncStart'),
    asyncEnd: this.#hear('asyncEnd'),
    error: this.#hear('error'),
  }

  /** @param about which messages count; others are another test's. */
  constructor(
    name: string,
    private readonly about: (trace: Trace) => boolean = () => true,
  ) {
    this.#channel = tracingChannel<unknown, Trace>(name)
    this.#channel.subscribe(this.#subscribers)
  }

  get events(): string[] {
    return this.told.map(({ event }) => event)
  }

  /** What one sub-channel was told, as it was then. */
  of(event: Told<Trace>['event']): Trace[] {
    return this.told.filter((each) => each.event === event).map(({ said }) => said)
  }

  [Symbol.dispose](): void {
    this.#channel.unsubscribe(this.#subscribers)
  }

  #hear(event: Told<Trace>['event']): (trace: Trace) => void {
    return (trace) => {
      if (this.about(trace)) this.told.push({ event, trace, said: { ...trace } })
    }
  }
}
