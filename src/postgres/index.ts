export type { PostgresOptions } from './options.js'
export type { PgPool } from './pg-connection.js'
export { type PostgresSchemaOptions, postgresSchema } from './schema.js'
export { postgres } from './store.js'
