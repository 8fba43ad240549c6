import { mariadb } from './mariadb.js'
import { mysql } from './mysql.js'
import { postgres } from './postgres.js'
import { type ProductName, releaseOf, type SqlProduct } from './product.js'
import { type SqlOrder, SqlServer } from './server.js'

export { PostgresPair } from './postgres-pair.js'
export { type ProductName, releaseOf } from './product.js'
export type { SqlAddress, SqlOrder, SqlServer } from './server.js'

const products: Readonly<Record<ProductName, SqlProduct>> = {
  PostgreSQL: postgres,
  MariaDB: mariadb,
  MySQL: mysql,
}

/** Starts a server of that product for one test file alone; to share one is cheaper, see test/setup/databases.ts. */
export function bringSqlServer(name: ProductName, order?: SqlOrder): Promise<SqlServer> {
  return SqlServer.start(products[name], order)
}

export async function whyNot(name: ProductName, release = releaseOf(name)): Promise<string | undefined> {
  const found = await products[name].find(release)
  return typeof found === 'string' ? found : undefined
}
