import { raw } from '../../memcached/raw.js'
import type { MemcachedServer } from '../../servers/memcached.js'
import { type Nemesis, nemesis, type Scene, SHORT_LEASE, type Traits } from './nemesis.js'

type Act = (cache: MemcachedServer, scene: Scene) => unknown

function cacheFault(name: string, what: string, act: Act, cutsOff: boolean, more: Traits = {}): Nemesis {
  return nemesis(name, ['memcached'], { losesData: true, ...SHORT_LEASE, ...more }, async (scene) => {
    const { cache } = scene.topology
    if (!cache) throw new Error(`${scene.topology.name} is no cache`)
    await scene.fault(what, () => act(cache, scene), { cutsOff, loses: 'all' })
    await scene.pause(cutsOff ? 1_000 : 500, 2_000)
  })
}

const restart: Act = (cache) => cache.restart()
export const cacheRestart = cacheFault('cache-restart', 'restart of the cache', restart, true)

export const cacheFlush = cacheFault('cache-flush', 'flush_all', (cache) => raw(cache, 'flush_all'), false)

async function hang(cache: MemcachedServer, scene: Scene): Promise<void> {
  await cache.pause()
  await scene.pause(100, 3_000)
  await cache.resume()
  // Leases that it gives before its clock ticks may be shorter than they are to be, by as long as it stood.
  await scene.pause(1_000, 1_000)
}

/** It hangs. When it goes on it does what was given up meanwhile, and takes the time at which it stopped for the present one at first. */
export const cachePause = cacheFault('cache-pause', 'SIGSTOP of the cache', hang, true, { strays: true })
