/** Edges as databases keep them. */
import { edgeCases } from '../deadlock/edge-cases.js'
import { onDatabases } from '../setup/databases.js'
import { storeOf } from './store-of.js'

await onDatabases(['PostgreSQL', 'MariaDB', 'MySQL'], (database, product) => {
  edgeCases(
    () => ({ source: storeOf({ product, address: database().address }), disconnect: () => undefined }),
    60,
  )
})
