import { checkName } from '../../base/checks/checks.js'
import { InvalidArgumentError } from '../../base/errors/errors.js'
import { quoted } from '../../base/errors/holdfast-error.js'

/**
 * Which lock a call of a decorated method takes: a function of the call's arguments, or a text in which `{0}` stands for the first
 * argument and `{0.id}` for a member of it. An argument that fills a place must be a text that is not empty, a finite number, a bigint or a
 * boolean: `undefined` would have all calls share one lock.
 */
export type LockName<Params extends readonly unknown[]> = string | ((...params: Params) => string)

/** A place to fill, or what looks like one: other braces, as in a hash tag, are part of the name. */
const PLACE = /\{(\d[^{}]*)\}/g
const WELL_FORMED = /^\d+(\.[\p{ID_Start}$_][\p{ID_Continue}$]*)*$/u

/** The name for the arguments of a call. */
export function lockNameOf(name: unknown): (params: readonly unknown[]) => string {
  if (typeof name === 'function') return (params) => checkName(Reflect.apply(name, undefined, params))
  const pattern = checkName(name)
  for (const [place, path = ''] of pattern.matchAll(PLACE)) {
    if (!WELL_FORMED.test(path))
      throw new InvalidArgumentError(
        'name',
        place,
        'places like {0} and {0.id}; other names can be written by a function',
        { found: `has the place ${quoted(place)}` },
      )
  }
  return (params) => checkName(pattern.replace(PLACE, (place, path: string) => filled(place, path, params)))
}

function filled(place: string, path: string, params: readonly unknown[]): string {
  let value: unknown = params
  for (const member of path.split('.')) value = Object(value)[member]
  if (isText(value)) return String(value)
  throw new InvalidArgumentError(
    `${place} of a lock's name`,
    value,
    'a text that is not empty, a finite number, a bigint or a boolean',
  )
}

function isText(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value)
  return typeof value === 'string' ? value !== '' : typeof value === 'bigint' || typeof value === 'boolean'
}
