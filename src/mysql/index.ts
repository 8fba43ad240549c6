export type { MysqlConnection } from './client-connection.js'
export type { MysqlOptions } from './options.js'
export { type MysqlSchemaOptions, mysqlSchema } from './schema.js'
export { type MysqlStore, mysql } from './store.js'
