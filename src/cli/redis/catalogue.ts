import { atOnce, type Catalogue } from '../catalogue.js'
import type { Family } from '../family.js'
import type { LockView } from '../lock-view.js'
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

  held(pattern: string, pace = atOnce): KeyListing {
    return new KeyListing(this, pattern, pace)
  }

  async hasPermits(name: string): Promise<boolean> {
    return (await this.keyspace.ask('EXISTS', this.keyspace.keyOf(name))) === 1
  }
}
