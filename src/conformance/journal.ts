import type { Holdfast, HoldfastEvents } from '../index.js'

type Payload<Name extends keyof HoldfastEvents> = Parameters<HoldfastEvents[Name]>[0]

/** What a client emits under one name from now on, in order. */
export function journalOf<Name extends keyof HoldfastEvents>(
  holdfast: Holdfast,
  event: Name,
): Payload<Name>[] {
  const entries: Payload<Name>[] = []
  const write = (entry: Payload<Name>): void => {
    entries.push(entry)
  }
  holdfast.on<keyof HoldfastEvents>(event, write)
  return entries
}
