import { conformance } from '../../src/conformance/index.js'
import { getLock } from '../../src/stores/mysql/index.js'
import { libraries } from '../mysql/clients.js'
import { onDatabases } from '../setup/databases.js'

await onDatabases(['MySQL', 'MariaDB'], (database, product) => {
  const connect = () => libraries[product === 'MySQL' ? 'mysql2' : 'mariadb'](database().address)
  const { traits } = getLock({ connect })
  conformance({ name: `GET_LOCK of ${product}`, open: () => getLock({ connect }), traits })
})
