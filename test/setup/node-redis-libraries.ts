/** Both ends of the versions of node-redis that Holdfast supports, and the last of the older line. */
export const nodeRedisLibraries = ['node-redis-5.9', 'node-redis-5', 'node-redis-6'] as const
