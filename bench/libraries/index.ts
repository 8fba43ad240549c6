import type { Open } from '../drivers/library.js'

/** The libraries that run in Node; each is loaded only by the driver that measures it. */
export const libraries: Readonly<Record<string, () => Promise<{ readonly open: Open }>>> = {
  holdfast: () => import('./holdfast.js'),
  'holdfast-off': async () => ({ open: (await import('./holdfast.js')).openWithoutLingering }),
  'holdfast-with-lock': () => import('./holdfast-with-lock.js'),
  'holdfast-fair': () => import('./holdfast-fair.js'),
  floor: () => import('./floor.js'),
  'in-turn': () => import('./in-turn.js'),
  ping: () => import('./ping.js'),
  'ping-rested': () => import('./ping-rested.js'),
  timers: () => import('./timers.js'),
  'redlock-4': () => import('./redlock-4.js'),
  'redlock-5': () => import('./redlock-5.js'),
  sesamecare: () => import('./sesamecare.js'),
  'redis-semaphore': () => import('./redis-semaphore.js'),
  verrou: () => import('./verrou.js'),
  'redlock-universal': () => import('./redlock-universal.js'),
  'node-redisson': () => import('./node-redisson.js'),
  'holdfast-store': () => import('./stores/holdfast.js'),
  statement: () => import('./stores/statement.js'),
  advisory: () => import('./stores/session-lock.js'),
  'get-lock': () => import('./stores/session-lock.js'),
  'verrou-database': () => import('./stores/verrou.js'),
  'poll-50': () => polling(50),
  'poll-100': () => polling(100),
  'bare-statements': () => import('./stores/bare-statements.js'),
  'proper-lockfile': () => import('./stores/proper-lockfile.js'),
  'proper-lockfile-quick': async () => ({ open: (await import('./stores/proper-lockfile.js')).openQuick }),
  flock: () => import('./stores/flock.js'),
  'holdfast-memory': async () => ({ open: (await import('./stores/holdfast.js')).openInMemory }),
}

async function polling(pauseMs: number): Promise<{ readonly open: Open }> {
  const { openPolling } = await import('./stores/polling.js')
  return { open: (place) => openPolling(place, pauseMs) }
}
