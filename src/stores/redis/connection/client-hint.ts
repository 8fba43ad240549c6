import { lineForClient } from '../../../base/packages/known-clients.js'

/** The options of either library that say where a server is. */
const ADDRESSES = ['url', 'host', 'port', 'socket', 'password', 'username', 'sentinels', 'rootNodes']

/** How to make a client of that library from a URL or from options, and how to pass it. */
const WITH_IOREDIS = {
  from: "import { Redis } from 'ioredis'",
  ofUrl: "import { storeAt } from 'holdfast/url' and write new Holdfast(storeAt(url))",
  ofOptions: 'new Holdfast(new Redis(options))',
  ofNothing: 'new Holdfast(new Redis())',
}

export const WITH_NODE_REDIS: typeof WITH_IOREDIS = {
  from: "import { createClient } from 'redis'",
  ofUrl: "import { createClient } from 'redis' and write new Holdfast(nodeRedis(createClient({ url })))",
  ofOptions: 'new Holdfast(nodeRedis(createClient(options)))',
  ofNothing: 'new Holdfast(nodeRedis(createClient()))',
}

/** What to write instead of that value, as the end of a sentence that begins "a client of …"; empty for an unknown value. */
export function clientHint(value: unknown, { from, ofUrl, ofOptions, ofNothing } = WITH_IOREDIS): string {
  if (typeof value === 'string' || value instanceof URL) return `; for a URL ${ofUrl}`
  if ((typeof value !== 'object' || value === null) && typeof value !== 'function') return ''
  if (Array.isArray(value))
    return "; for several servers import { quorum } from 'holdfast' and write new Holdfast(quorum(clients))"
  const line = lineForClient(value)
  if (line !== undefined) return `; ${line}`
  const isOptions = ADDRESSES.some((field) => field in value)
  return isOptions
    ? `; for options ${from} and write ${ofOptions}`
    : `; for example ${ofNothing}, with ${from}`
}
