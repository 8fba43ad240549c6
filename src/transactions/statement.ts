import { InvalidArgumentError } from '../base/errors/errors.js'
import { isObject } from '../port/sql-connection.js'

/** A statement with values, as {@link sql} makes it. */
export interface SqlStatement {
  /** The parts around the values: one more than there are values. */
  readonly strings: readonly string[]
  /** Sent apart from the text. */
  readonly values: readonly unknown[]
}

/** Makes a statement of a template: what stands in `${}` is sent as a value, never as part of the text. */
export function sql(strings: TemplateStringsArray, ...values: readonly unknown[]): SqlStatement {
  return { strings, values }
}

/** As a server takes it. */
export interface Rendered {
  readonly text: string
  readonly values: readonly unknown[]
}

/** The statement with the placeholders of that dialect. */
export function render(statement: string | SqlStatement, dialect: 'postgres' | 'mysql'): Rendered {
  if (typeof statement === 'string') return { text: statement, values: [] }
  if (!isObject(statement) || !Array.isArray(statement.strings) || !Array.isArray(statement.values)) {
    throw new InvalidArgumentError('statement', statement, 'a string, or a template with the tag sql')
  }
  const { strings, values } = statement
  const text = strings.reduce(
    (before, part, index) => before + (dialect === 'postgres' ? `$${index}` : '?') + part,
  )
  return { text, values }
}
