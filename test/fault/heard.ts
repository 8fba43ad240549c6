import type { Holdfast, HoldfastEvents } from '../../src/index.js'

/** The names of those events, as they come from now on; for one lock only if it is named. */
export function eventsOf<Name extends keyof HoldfastEvents>(
  holdfast: Holdfast,
  names: readonly Name[],
  lockName?: string,
): string[] {
  const heard: string[] = []
  for (const name of names) {
    holdfast.on(name, (event: unknown) => {
      if (lockName === undefined || nameIn(event) === lockName) heard.push(name)
    })
  }
  return heard
}

function nameIn(event: unknown): unknown {
  return typeof event === 'object' && event !== null && 'name' in event ? event.name : undefined
}
