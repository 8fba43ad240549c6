import { mariadb } from './mariadb.js'
import { MariadbStock } from './mariadb-stock.js'
import { postgres } from './postgres.js'
import { PostgresStock } from './postgres-stock.js'
import { findProduct, type Installed, type SqlProduct } from './sql-server.js'
import type { Stock } from './stock.js'

export interface Choice {
  readonly product: SqlProduct
  readonly installed: Installed | undefined
  readonly stockIn: (dir: string) => Stock
  /** What a group of tests is called: where there is no such server, why it is skipped. */
  readonly title: string
}

const known: ReadonlyArray<readonly [SqlProduct, (dir: string) => Stock]> = [
  [postgres, (dir) => new PostgresStock(dir)],
  [mariadb, (dir) => new MariadbStock(dir)],
]

export const choices: readonly Choice[] = await Promise.all(
  known.map(async ([product, stockIn]) => {
    const installed = await findProduct(product)
    const title = installed
      ? product.name
      : `${product.name} is not on this machine: skipped (apt-get install ${product.package})`
    if (!installed) console.warn(title)
    return { product, installed, stockIn, title }
  }),
)
