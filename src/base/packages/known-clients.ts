const NODE_REDIS = "import { nodeRedis } from 'holdfast/node-redis' and write new Holdfast(nodeRedis("
const GLIDE = 'for a client of @valkey/valkey-glide, which cannot end a silent connection, import { '

const withStore = (way: string, client: string): string =>
  `import { ${way} } from 'holdfast/${way}' and write new Holdfast(${way}(${client}))`

/** Clients of the libraries that people have, recognised by members that only they have, and what to write for each. */
const CLIENTS: ReadonlyArray<readonly [members: readonly string[], line: string]> = [
  [['then', 'catch'], 'that is a promise: write await before it'],
  [
    ['isCluster', 'duplicate', 'options'],
    'that is a client for Holdfast already, as those of ioredis are: write new Holdfast(client)',
  ],
  [['totalCount', 'Client'], withStore('postgres', 'pool')],
  [
    ['connectionParameters', 'query'],
    `for a Client of pg ${withStore('postgres', 'new pg.Pool(options)')}, with the options of the client`,
  ],
  [['unsafe', 'listen'], withStore('postgres', 'sql')],
  [['getConnection', 'query'], withStore('mysql', 'pool')],
  [
    ['beginTransaction', 'query'],
    `a connection is its owner’s alone: ${withStore('mysql', 'createPool(options)')}, with the options of the connection`,
  ],
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

/** What to write for that client; undefined for a value that is no known client. */
export function lineForClient(value: unknown): string | undefined {
  if ((typeof value !== 'object' || value === null) && typeof value !== 'function') return undefined
  return CLIENTS.find(([members]) => members.every((member) => member in value))?.[1]
}
