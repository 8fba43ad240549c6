import type { Versioned } from '../rows/rows.js'
import type { SqlRow } from './connection.js'

/** A row as the statements of this folder return it; there may be none, and still the server's clock. */
export function readVersioned(row: SqlRow | undefined): Versioned {
  const version = text(row, 'version')
  const fence = text(row, 'fence')
  return {
    packed:
      version === undefined
        ? undefined
        : {
            owner: text(row, 'owner'),
            holds: Number(text(row, 'holds')),
            endsAt: numberOf(text(row, 'ends_at')),
            fence: fence === undefined ? undefined : BigInt(fence),
            waiting: texts(text(row, 'waiting')),
            rest: text(row, 'rest'),
          },
    version: BigInt(version ?? 0),
    now: Number(text(row, 'now')),
    unreachable: new Set(texts(text(row, 'gone'))),
  }
}

export function text(row: SqlRow | undefined, column: string): string | undefined {
  const value = row?.[column]
  return typeof value === 'string' ? value : undefined
}

function numberOf(value: string | undefined): number | undefined {
  return value === undefined ? undefined : Number(value)
}

function texts(json: string | undefined): string[] {
  const list: unknown = json === undefined ? [] : JSON.parse(json)
  return Array.isArray(list) ? list.filter((each) => typeof each === 'string') : []
}
