/* A process that takes one lock and then, when it is told to, asks for another: one of a ring. */
import process from 'node:process'
import { Holdfast, type HoldfastOptions } from '../../src/index.js'
import { storeOf } from '../rows/store-of.js'
import { clusterClient, standaloneClient } from '../setup/clients.js'
import type { Place } from './members.js'

export interface Member {
  readonly place: Place
  readonly options: HoldfastOptions
  readonly first: string
  readonly second: string
}

/** What it says. */
export type Word =
  | { readonly word: 'inside' }
  | {
      readonly word: 'deadlock'
      readonly labels: readonly (string | undefined)[]
      readonly names: readonly string[]
    }
  | { readonly word: 'ended'; readonly with: string }

const { place, options, first, second }: Member = JSON.parse(process.argv[2] ?? '')
const holdfast = new Holdfast(sourceOf(place), options)
const say = (word: Word): void => {
  process.send?.(word)
}

holdfast.on('deadlock', ({ cycle }) => {
  const names = cycle.map(({ holds, waitsFor }) => `${holds.name} > ${waitsFor.name}`)
  say({ word: 'deadlock', labels: cycle.map(({ label }) => label), names })
})
try {
  await holdfast.lock(first).withLock(async () => {
    say({ word: 'inside' })
    await new Promise((resolve) => process.once('message', resolve))
    await holdfast.lock(second).withLock(() => undefined)
  })
  say({ word: 'ended', with: 'both' })
} catch (error) {
  say({ word: 'ended', with: error instanceof Error && 'code' in error ? String(error.code) : String(error) })
}
await holdfast.close()
process.disconnect()

function sourceOf(place: Place): ConstructorParameters<typeof Holdfast>[0] {
  if (!('servers' in place)) return storeOf(place)
  const [server] = place.servers
  if (!server) throw new Error('there is a server')
  return place.cluster ? clusterClient([...place.servers]) : standaloneClient({ ...server })
}
