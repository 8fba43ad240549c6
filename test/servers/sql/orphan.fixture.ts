/* Brings a database server, says where it is, and waits to be killed. */
import process from 'node:process'
import { bringSqlServer } from './index.js'

const [, , name] = process.argv
if (name !== 'PostgreSQL' && name !== 'MariaDB' && name !== 'MySQL') throw new Error(`no ${name}`)
const server = await bringSqlServer(name)
process.stdout.write(JSON.stringify(server.address))
setInterval(() => {}, 60_000)
