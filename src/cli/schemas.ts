import { usageError } from './failure.js'

/** The SQL that creates what Holdfast needs, by database. */
export const schemas = {
  postgres: async () => (await import('../stores/postgres/index.js')).postgresSchema(),
  mysql: async () => {
    const [{ mysqlSchema }, { mysqlNamesSchema }] = await Promise.all([
      import('../stores/mysql/index.js'),
      import('../transactions/index.js'),
    ])
    return [mysqlSchema(), mysqlNamesSchema()].join(';\n\n')
  },
} as const

/** What to do where there is nothing to print. */
const OTHERS: Readonly<Record<string, string>> = {
  sqlite:
    'SQLite needs no SQL from you: Holdfast makes its file, and the tables in it, when it first uses them.',
  mariadb: 'MariaDB has the tables of MySQL: holdfast schema mysql.',
  postgresql: 'Write: holdfast schema postgres.',
}

export function productOf(text: string): keyof typeof schemas {
  if (text === 'postgres' || text === 'mysql') return text
  throw usageError(
    OTHERS[text] ??
      'There are tables in PostgreSQL and MySQL only: holdfast schema postgres, or holdfast schema mysql.',
  )
}
