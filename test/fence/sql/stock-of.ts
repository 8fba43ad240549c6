import type { ProductName, SqlAddress } from '../../servers/sql/index.js'
import { MariadbStock } from './mariadb-stock.js'
import { PostgresStock } from './postgres-stock.js'
import type { Stock } from './stock.js'

export function stockOf(product: ProductName, address: SqlAddress): Stock {
  return product === 'PostgreSQL' ? new PostgresStock(address) : new MariadbStock(address)
}
