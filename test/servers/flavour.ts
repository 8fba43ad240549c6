import type { DebianProgram } from './debian.js'

/** The server releases Holdfast is tested against, oldest first. */
export const flavours = ['redis-7.0', 'redis-8.0', 'valkey-8.1'] as const
export type Flavour = (typeof flavours)[number]

/** `any` is whatever is at hand: the quickest to get, in a version that has sharded pub/sub. */
export type Wanted = Flavour | 'any'

export interface Release {
  readonly version: string
  readonly program: 'redis-server' | 'valkey-server'
  readonly image: string
  /** The Debian release whose package of the same name as the program is this flavour. */
  readonly suite: 'bookworm' | 'trixie'
}

export const releases: Readonly<Record<Flavour, Release>> = {
  'redis-7.0': { version: '7.0', program: 'redis-server', image: 'redis:7.0-bookworm', suite: 'bookworm' },
  'redis-8.0': { version: '8.0', program: 'redis-server', image: 'redis:8.0-bookworm', suite: 'trixie' },
  'valkey-8.1': {
    version: '8.1',
    program: 'valkey-server',
    image: 'valkey/valkey:8.1-bookworm',
    suite: 'trixie',
  },
}

export function inDebian(flavour: Flavour): DebianProgram {
  const { program, suite } = releases[flavour]
  return { name: flavour, suite, package: program, program: `usr/bin/${program}` }
}

/** The flavour to fetch when any would do: the oldest supported, so that nothing newer is leaned on by accident. */
export const oldest: Flavour = 'redis-7.0'

/**
 * Reads a flavour's name, as from an environment variable.
 *
 * @throws RangeError naming what is accepted.
 */
export function parseWanted(text: string): Wanted {
  const known: readonly Wanted[] = [...flavours, 'any']
  const wanted = known.find((name) => name === text)
  if (wanted) return wanted
  throw new RangeError(`no server flavour is called '${text}'; there are ${known.join(', ')}`)
}
