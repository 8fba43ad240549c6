import { InvalidArgumentError } from '../../base/errors/errors.js'

/**
 * Writes a table's name in SQL, in these quotes: of `locks`, `app.locks`, or parts that are quoted as in SQL. Case counts, quoted or not.
 * @param longest how long a part may be, for the error
 */
export function tableQuoter(quote: '"' | '`', longest: string, isPossible: (name: string) => boolean) {
  const part = `(?:${quote}(?:[^${quote}]|${quote}${quote})+${quote}|[^${quote}.]+)`
  const table = new RegExp(`^(?:(${part})\\.)?(${part})$`, 's')
  const plain = (name: string): string =>
    name.startsWith(quote) ? name.slice(1, -1).replaceAll(quote + quote, quote) : name
  return (given: unknown): string => {
    const parts = typeof given === 'string' ? table.exec(given)?.slice(1) : undefined
    const names = parts?.filter((each) => each !== undefined).map(plain)
    if (!names?.every(isPossible)) {
      const accepted = `a name such as locks, app.locks or ${quote}my app${quote}.locks, each part of at most ${longest}`
      throw new InvalidArgumentError('table', given, accepted)
    }
    return names.map((name) => quote + name.replaceAll(quote, quote + quote) + quote).join('.')
  }
}
