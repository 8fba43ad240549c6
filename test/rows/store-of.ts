import type { Store } from '../../src/index.js'
import { sqlite } from '../../src/stores/sqlite/index.js'
import type { ProductName, SqlAddress } from '../servers/sql/index.js'
import { storeAt } from '../transactions/application.js'

export type Rows = { readonly product: ProductName; readonly address: SqlAddress } | { readonly path: string }

export function storeOf(rows: Rows): Store {
  return 'path' in rows ? sqlite(rows.path) : storeAt(rows.product, rows.address)
}
