import type { LockKeyspace } from '../../port/store.js'

/** Locks of different keyspaces have nothing to do with each other, whatever their names. */
export interface LockName {
  readonly keyspace: LockKeyspace
  readonly name: string
}

/** Both in one text. */
export function textOf({ keyspace, name }: LockName): string {
  return `${keyspace} ${name}`
}
