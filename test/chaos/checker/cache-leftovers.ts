import { keyOf } from '../../../src/stores/memcached/key.js'
import { raw } from '../../memcached/raw.js'
import { locksOf, type Resource } from '../program/resource.js'
import type { Topology } from '../topologies/topology.js'
import type { Finding } from './finding.js'

export async function leftInCache({ cache }: Topology, resources: readonly Resource[]): Promise<Finding[]> {
  if (!cache) return []
  const items = await Promise.all(
    resources.flatMap(locksOf).map((name) => raw(cache, `mg ${keyOf(name)} k v t`)),
  )
  return items
    .filter((item) => item.startsWith('VA'))
    .map((item) => ({ check: 'leftover', kind: '', what: `item ${item.trim()}` }))
}
