import { raw } from '../../memcached/raw.js'
import type { MemcachedServer } from '../../servers/memcached.js'
import { type Nemesis, type Scene, SHORT_LEASE } from './nemesis.js'

function cacheOf({ topology: { cache, name } }: Scene): MemcachedServer {
  if (!cache) throw new Error(`${name} is no cache`)
  return cache
}

export const cacheRestart: Nemesis = {
  name: 'cache-restart',
  topologies: ['memcached'],
  losesData: true,
  options: SHORT_LEASE,
  async strike(scene) {
    const cache = cacheOf(scene)
    await scene.fault('restart of the cache', () => cache.restart(), { cutsOff: true, loses: 'all' })
    await scene.pause(1_000, 2_000)
  },
}

export const cacheFlush: Nemesis = {
  name: 'cache-flush',
  topologies: ['memcached'],
  losesData: true,
  options: SHORT_LEASE,
  async strike(scene) {
    const cache = cacheOf(scene)
    await scene.fault('flush_all', () => raw(cache, 'flush_all'), { loses: 'all' })
    await scene.pause(500, 2_000)
  },
}

/** It hangs. When it goes on it does what was given up meanwhile, and takes the time at which it stopped for the present one at first. */
export const cachePause: Nemesis = {
  name: 'cache-pause',
  topologies: ['memcached'],
  losesData: true,
  strays: true,
  options: SHORT_LEASE,
  async strike(scene) {
    const cache = cacheOf(scene)
    await scene.fault(
      'SIGSTOP of the cache',
      async () => {
        await cache.pause()
        await scene.pause(100, 3_000)
        await cache.resume()
        // Leases that it gives before its clock ticks may be shorter than they are to be, by as long as it stood.
        await scene.pause(1_000, 1_000)
      },
      { cutsOff: true, loses: 'all' },
    )
    await scene.pause(1_000, 2_000)
  },
}
