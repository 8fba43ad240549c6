import { atOnce, type Catalogue, lookAtEach, type Pace, type Seen } from '../catalogue.js'
import type { Family } from '../family.js'
import type { LockView } from '../lock-view.js'
import { AT_ONCE, glanceAt, glanceCommands } from './glance.js'
import type { Keyspace } from './keyspace.js'
import { KeyListing } from './listing.js'
import { look } from './look.js'

/** The locks of a Redis, as docs/wire-layout.md describes its keys. */
export class RedisCatalogue implements Catalogue {
  constructor(
    readonly family: Family,
    readonly keyspace: Keyspace,
  ) {}

  look(name: string): Promise<readonly LockView[]> {
    return look(this, name)
  }

  /** With two commands for fifty plain locks, in a cluster with one for each; other sorts are looked at one by one. */
  async lookAtAll(names: readonly string[], pace: Pace, seen: Seen): Promise<void> {
    const closer: string[] = []
    for (let from = 0; from < names.length; from += AT_ONCE) {
      const some = names.slice(from, from + AT_ONCE)
      await pace(glanceCommands(this.keyspace, some.length))
      const glances = await glanceAt(this.keyspace, some)
      for (const name of some) {
        const glance = glances.get(name)
        if (glance?.isOne) seen(name, [glance.view])
        else closer.push(name)
      }
    }
    await lookAtEach(this, closer, pace, seen)
  }

  held(pattern: string, pace = atOnce): KeyListing {
    return new KeyListing(this, pattern, pace)
  }

  async hasPermits(name: string): Promise<boolean> {
    return (await this.keyspace.ask('EXISTS', this.keyspace.keyOf(name))) === 1
  }
}
