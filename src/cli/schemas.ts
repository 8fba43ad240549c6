import { mysqlSchema } from '../mysql/index.js'
import { postgresSchema } from '../postgres/index.js'
import { mysqlNamesSchema } from '../transactions/index.js'

/** The SQL that creates what Holdfast needs, by database. */
export const schemas = {
  postgres: () => postgresSchema(),
  mysql: () => [mysqlSchema(), mysqlNamesSchema()].join(';\n\n'),
} as const
