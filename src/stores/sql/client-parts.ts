import { isObject } from '../../port/sql-connection.js'

/*
 * What client libraries do not declare, and Holdfast uses where it is there.
 */

/** The socket of a connection, if its library shows it. */
export function streamOf(client: object): object | undefined {
  return partOf(partOf(client, 'connection'), 'stream')
}

export function partOf(whole: object | undefined, name: string): object | undefined {
  const found: unknown = whole && Reflect.get(whole, name)
  return isObject(found) ? found : undefined
}

export function call(object: object | undefined, method: string): void {
  const found: unknown = object && Reflect.get(object, method)
  if (object && typeof found === 'function') Reflect.apply(found, object, [])
}
