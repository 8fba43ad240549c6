import type { Entry } from '../entry.js'
import type { Results } from '../measure/results.js'
import type { Table } from './tables.js'

/** Those of the entries that took part, with the versions they said they have. */
export function competitorsTable({ cells }: Results, catalog: readonly Entry[]): Table {
  // More than one, where an entry runs over another client library on each database.
  const versions = new Map<string, Set<string>>()
  for (const { library, result } of cells) {
    if (result.outcome !== 'measured') continue
    versions.set(library, (versions.get(library) ?? new Set()).add(result.version))
  }
  const present = catalog.filter(({ name }) => cells.some(({ library }) => library === name))
  return {
    head: ['', 'version', 'what it is', 'changed from its defaults'],
    rows: present.map(({ name, title, what, changed }) => [
      title,
      [...(versions.get(name) ?? ['not measured'])].join(', '),
      what,
      changed,
    ]),
  }
}
