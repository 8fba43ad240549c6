import { isClient } from './client.js'

const NODE_REDIS = "import { nodeRedis } from 'holdfast/node-redis' and write new Holdfast(nodeRedis("
const GLIDE = 'for a client of @valkey/valkey-glide, which cannot end a silent connection, import { '

const storeHint = (way: string, client: string): string =>
  `import { ${way} } from 'holdfast/${way}' and write new Holdfast(${way}(${client}))`

/** The options of either library that say where a server is. */
const ADDRESSES = ['url', 'host', 'port', 'socket', 'password', 'username', 'sentinels', 'rootNodes']

/** Clients that Holdfast does not take, recognised by members that only they have, and what to write instead. */
const STRANGERS: ReadonlyArray<readonly [members: readonly string[], hint: string]> = [
  [['totalCount', 'Client'], storeHint('postgres', 'pool')],
  [['unsafe', 'listen'], storeHint('postgres', 'sql')],
  [['getConnection', 'query'], storeHint('mysql', 'pool')],
  [
    ['getMasterNode', 'acquire'],
    `a Sentinel client of node-redis keeps its options to itself: ${NODE_REDIS}createClient(nodeClientOptions), ` +
      '{ sentinel: options })), with the options that createSentinel was given',
  ],
  [['sSubscribe', 'duplicate', 'destroy'], `for a client of node-redis ${NODE_REDIS}client))`],
  [
    ['sendCommand', 'destroy', 'execute'],
    `for a pool of node-redis ${NODE_REDIS}createClient(options))), with the options of its clients`,
  ],
  [['sendCommand', 'v4'], `for node-redis 4 install redis 5.9 or later, ${NODE_REDIS}client))`],
  [['send_command', 'connector'], 'for ioredis 4 install ioredis 5.4 or later'],
  [['send_command'], `for node-redis 3 install redis 5.9 or later, ${NODE_REDIS}client))`],
  [
    ['shaScripts', 'subscriberMode'],
    "for ioredis-mock, which keeps no time, import { MemoryStore } from 'holdfast/memory' and write new Holdfast(new MemoryStore())",
  ],
  [
    ['createScript', 'addTelemetry'],
    'for @upstash/redis, which speaks HTTP and hears no messages, use the address of the same database for Redis clients: ' +
      "import { Redis } from 'ioredis' and write new Holdfast(new Redis('rediss://…'))",
  ],
  [
    ['customCommand', 'ssubscribe'],
    `${GLIDE}Cluster } from 'iovalkey' and write new Holdfast(new Cluster(addresses))`,
  ],
  [
    ['customCommand', 'invokeScript'],
    `${GLIDE}Redis } from 'iovalkey' and write new Holdfast(new Redis(address))`,
  ],
]

/** How to make a client of that library from a URL or from options, and how to pass it. */
const WITH_IOREDIS = {
  from: "import { Redis } from 'ioredis'",
  ofUrl: "import { storeAt } from 'holdfast/url' and write new Holdfast(storeAt(url))",
  ofOptions: 'new Holdfast(new Redis(options))',
  ofNothing: 'new Holdfast(new Redis())',
}

const WITH_NODE_REDIS: typeof WITH_IOREDIS = {
  from: "import { createClient } from 'redis'",
  ofUrl: "import { createClient } from 'redis' and write new Holdfast(nodeRedis(createClient({ url })))",
  ofOptions: 'new Holdfast(nodeRedis(createClient(options)))',
  ofNothing: 'new Holdfast(nodeRedis(createClient()))',
}

/** What to write instead of that value, as the end of a sentence that begins "a client of …"; empty for an unknown value. */
export function clientHint(value: unknown, { from, ofUrl, ofOptions, ofNothing } = WITH_IOREDIS): string {
  if (typeof value === 'string' || value instanceof URL) return `; for a URL ${ofUrl}`
  if ((typeof value !== 'object' || value === null) && typeof value !== 'function') return ''
  const known = STRANGERS.find(([members]) => members.every((member) => member in value))
  if (known) return `; ${known[1]}`
  const isOptions = ADDRESSES.some((field) => field in value)
  return isOptions
    ? `; for options ${from} and write ${ofOptions}`
    : `; for example ${ofNothing}, with ${from}`
}

/** The same for an argument that must be a client of node-redis. */
export function nodeRedisHint(value: unknown): string {
  return isClient(value)
    ? '; that is a client for Holdfast already, as those of ioredis are: write new Holdfast(client)'
    : clientHint(value, WITH_NODE_REDIS)
}
