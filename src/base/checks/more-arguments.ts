import { InvalidArgumentError } from '../errors/errors.js'

/**
 * Has methods refuse what comes after their arguments. A program in JavaScript that gives more has something in mind, like the count of a
 * latch, that would not count.
 * @param instead what to write in the place of more, by method
 */
export function refuseMoreArguments(
  prototype: object,
  most: Readonly<Record<string, number>>,
  instead: Readonly<Record<string, string>> = {},
): void {
  for (const [name, count] of Object.entries(most)) {
    const method: unknown = Reflect.get(prototype, name)
    if (typeof method !== 'function') throw new TypeError(`${name} is no method`)
    const isAsync = Object.prototype.toString.call(method) === '[object AsyncFunction]'
    const value = function (this: unknown, ...given: unknown[]): unknown {
      const more = given.slice(count).find((each) => each !== undefined)
      if (more === undefined) return Reflect.apply(method, this, given)
      const place = given.indexOf(more, count) + 1
      const refusal = new InvalidArgumentError(
        `argument ${place} of ${name}()`,
        more,
        `nothing in this place${name in instead ? `: write ${instead[name]}` : ''}`,
      )
      if (isAsync) return Promise.reject(refusal)
      throw refusal
    }
    Object.defineProperty(value, 'name', { value: name })
    Object.defineProperty(prototype, name, { value, configurable: true, writable: true })
  }
}
