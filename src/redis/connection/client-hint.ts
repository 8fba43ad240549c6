const NODE_REDIS = "import { nodeRedis } from 'holdfast/node-redis' and write new Holdfast(nodeRedis("
const GLIDE = 'for a client of @valkey/valkey-glide, which cannot end a silent connection, import { '

/** What people have for a client beside those that fit, told by members that only it has, and what to write instead. */
const STRANGERS: ReadonlyArray<readonly [members: readonly string[], hint: string]> = [
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

/** What to write instead of that value, to go on from "a client of …"; empty where nobody knows what it is. */
export function clientHint(value: unknown): string {
  if (typeof value === 'string')
    return "; for a URL import { Redis } from 'ioredis' and write new Holdfast(new Redis(url))"
  if (typeof value !== 'object' || value === null) return ''
  const known = STRANGERS.find(([members]) => members.every((member) => member in value))
  return known
    ? `; ${known[1]}`
    : "; for example new Holdfast(new Redis()), with import { Redis } from 'ioredis'"
}
