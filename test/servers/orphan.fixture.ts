/* Brings a server, says where, and waits to be killed. */
import process from 'node:process'
import { bringServer, parseWanted } from './index.js'
import { bringSqlServer } from './sql/index.js'

const [, , wanted = 'any'] = process.argv
const { port } =
  wanted === 'PostgreSQL' || wanted === 'MariaDB' || wanted === 'MySQL'
    ? (await bringSqlServer(wanted)).address
    : await bringServer({ flavour: parseWanted(wanted) })
process.stdout.write(`${port}\n`)
setInterval(() => {}, 60_000)
