import { typeText } from './found.js'

/** What tells one failure of a client library, or of Node, from another. */
const TELLING = 'code errno syscall address port hostname sqlState severity routine fatal'.split(' ')

/** No server has more to say; some other program at its address may. */
const LONGEST_TEXT = 4_000

/** Longer chains end there. */
const DEEPEST = 8

/** The words of a login command that are no secret; all others are the user and the password. */
const LOGIN = /^(?:auth|hello|\d|setname|holdfast-\w+)$/i

/** What servers and client libraries repeat in their texts of what a client has sent them, and what stands there instead. */
const REPEATED: ReadonlyArray<readonly [said: RegExp, instead: string]> = [
  // Redis, of a command that it does not know: HELLO has the password.
  [/(with args beginning with:).*/is, '$1 …'],
  // Or whatever else stands at its address: the words behind AUTH, unless they are a server's own, as in `AUTH <password> called without…`.
  [/\b(auth) (?!<).*/is, '$1 …'],
  [/([a-z][a-z\d+.-]{0,20}:\/\/)\S*@/gi, '$1…@'],
  [/(invalid url: ?).*/is, '$1…'],
  // Databases and Redis, of whom they refuse; some services take a token for a user.
  [/\b(user(?:name)?|role) (?:'.*?'@'[^']*'|(["'`]).*?\2(?=$|[\s,.;)]))/gi, '$1 …'],
  [/\b(no such user: )\S+$|\b(user )\S+(?= has no permission)/gi, '$1$2…'],
  // The client library of MariaDB.
  [/\nsql: .*/is, ''],
]

/** Copies, and what they are copies of: an error passes through several hands. */
const copies = new WeakMap<object, Error>()

/**
 * A failure of other code as an error of Holdfast may carry it. Client libraries hang the failed command on their errors, with its
 * arguments, the whole script or the options of the connection: passwords among them. The copy has the name, the text, the stack and what
 * tells failures apart, and nothing else.
 *
 * @param isOurs whether it is an error of Holdfast, which carries nothing else as it is
 */
export function cleanCause(cause: unknown, isOurs: (value: unknown) => boolean, depth = 0): unknown {
  if (typeof cause === 'string') return withoutSecrets(cause)
  if (typeof cause === 'function')
    return copyOf(new TypeError(`${typeText(cause)} was thrown`), isOurs, depth)
  if (typeof cause !== 'object' || cause === null || isOurs(cause)) return cause
  const known = copies.get(cause)
  if (known) return known
  const copy = copyOf(cause, isOurs, depth)
  copies.set(cause, copy)
  copies.set(copy, copy)
  return copy
}

function copyOf(cause: object, isOurs: (value: unknown) => boolean, depth: number): Error {
  const of = (field: string): unknown => read(cause, field)
  const told = of('message')
  const message =
    typeof told === 'string'
      ? withoutSecrets(told, sentIn(of('command')))
      : `${typeText(cause)} was thrown, which is no error`
  const inner =
    depth < DEEPEST && of('cause') !== undefined ? cleanCause(of('cause'), isOurs, depth + 1) : undefined
  const details = inner === undefined ? undefined : { cause: inner }
  const parts = of('errors')
  const copy =
    Array.isArray(parts) && depth < DEEPEST
      ? new AggregateError(
          parts.map((each: unknown) => cleanCause(each, isOurs, depth + 1)),
          message,
          details,
        )
      : new Error(message, details)
  // Not listed when it is printed, like those of any error.
  const set = (field: string, value: string): unknown =>
    Object.defineProperty(copy, field, { value, configurable: true, writable: true })
  const name = of('name')
  if (typeof name === 'string') set('name', name)
  set('stack', `${copy.name}: ${message}${/\n {4}at .*/s.exec(String(of('stack')))?.[0] ?? ''}`)
  for (const field of TELLING) {
    const value = of(field)
    if (typeof value === 'string') Reflect.set(copy, field, withoutSecrets(value))
    if (typeof value === 'number' || typeof value === 'boolean') Reflect.set(copy, field, value)
  }
  return copy
}

/** Getters of others may throw. */
function read(value: object, field: string): unknown {
  try {
    return Reflect.get(value, field)
  } catch {
    return undefined
  }
}

/** The user and the password in the command that a server refused, as ioredis tells it. */
function sentIn(command: unknown): readonly string[] {
  const of = (field: string): unknown => read(Object(command), field)
  const args = of('args')
  return Array.isArray(args) && /^(?:auth|hello)$/i.test(String(of('name')))
    ? args.map(String).filter((arg) => arg !== '' && !LOGIN.test(arg))
    : []
}

function withoutSecrets(text: string, sent: readonly string[] = []): string {
  const shown = sent.reduce(masked, text.slice(0, LONGEST_TEXT))
  return REPEATED.reduce((rest, [said, instead]) => rest.replace(said, instead), shown)
}

/** The text without that word; where it is but a part of another word, it stays: that would tell what it is. */
export function masked(text: string, word: string): string {
  const literal = word.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')
  return text.replace(new RegExp(`(?<![\\p{L}\\p{N}_-])${literal}(?![\\p{L}\\p{N}_-])`, 'gu'), '…')
}
