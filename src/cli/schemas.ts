import { mysqlSchema } from '../mysql/index.js'
import { postgresSchema } from '../postgres/index.js'

/** The SQL that creates what Holdfast needs, by database. */
export const schemas = { postgres: postgresSchema, mysql: mysqlSchema } as const
