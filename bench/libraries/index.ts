import type { Open } from '../drivers/library.js'

/** The libraries that run in Node; each is loaded only by the driver that measures it. */
export const libraries: Readonly<Record<string, () => Promise<{ readonly open: Open }>>> = {
  holdfast: () => import('./holdfast.js'),
  'holdfast-lingering': async () => ({ open: (await import('./holdfast.js')).openLingering }),
  'holdfast-with-lock': () => import('./holdfast-with-lock.js'),
  'holdfast-fair': () => import('./holdfast-fair.js'),
  floor: () => import('./floor.js'),
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
}
