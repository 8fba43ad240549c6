import { shorten } from '../../base/errors/holdfast-error.js'

/** The group that a lock's metrics belong to, by its name; `undefined` if it belongs to none. */
export type GroupOf = (lockName: string) => string | undefined

/** A name for labels and spans: names may be 512 KB long, and a shortened one may end within a character. */
export function shownName(name: string): string {
  return shorten(name).toWellFormed()
}

/** The group of a lock, or none if `groupOf` fails: it runs within calls for locks, which it must not break. */
export function shownGroup(groupOf: GroupOf | undefined, lockName: string): string | undefined {
  try {
    const group: unknown = groupOf?.(lockName)
    return typeof group === 'string' ? shownName(group) : undefined
  } catch {
    return undefined
  }
}
