import { findDriver } from '../../src/stores/sqlite/driver.js'

type Statement = ReturnType<ReturnType<ReturnType<typeof findDriver>>['prepare']>

/** Counts the statements that this process runs on SQLite files, by whichever client Holdfast takes. */
export class SqliteStatements {
  #count = 0

  constructor() {
    const connection = findDriver()(':memory:')
    const prototype: Statement = Object.getPrototypeOf(connection.prepare('SELECT 1'))
    connection.close()
    const { all, run } = prototype
    const counter = this
    prototype.all = function (this: Statement, ...values) {
      counter.#count += 1
      return all.apply(this, values)
    }
    prototype.run = function (this: Statement, ...values) {
      counter.#count += 1
      return run.apply(this, values)
    }
  }

  get count(): number {
    return this.#count
  }
}
