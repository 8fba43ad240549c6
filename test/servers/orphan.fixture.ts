/* Brings a server, says where, and waits to be killed. */
import process from 'node:process'
import { bringServer, parseWanted } from './index.js'

const server = await bringServer({ flavour: parseWanted(process.argv[2] ?? 'any') })
process.stdout.write(`${server.port}\n`)
setInterval(() => {}, 60_000)
