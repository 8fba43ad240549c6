import { test } from 'vitest'
import { type StoreKind, type StoreTraits, storeKinds } from '../port/store-traits.js'
import type { Place } from './place.js'

type Trait = {
  [Name in keyof StoreTraits]: StoreTraits[Name] extends boolean ? Name : never
}[keyof StoreTraits]

/** What a case may need that not every place has. */
export type Need = Trait | StoreKind | 'real time'

/** Why a place lacks it. */
const reasons: Readonly<Record<Trait | 'real time', string>> = {
  push: 'a release wakes nobody in this store',
  fifo: 'this store serves processes in no order',
  countsVisible: 'other clients do not see how many holds an owner has in this store',
  countsWaiters: 'nobody knows who waits in this store',
  lists: 'this store lists no locks',
  namesHolder: 'other clients do not learn who holds a lock in this store',
  tellsSince: 'other clients do not learn since when a lock is held in this store',
  lingers: 'no lock stays with its process in this store',
  lingersFenced: 'no fenced lock stays with its process in this store',
  detaches: 'no hold can be handed to another client in this store',
  endsLeases: 'what a client that has gone held lasts as long as its session in this store',
  'real time': 'time is virtual here',
}

/** Whether it is a kind of lock, and not a trait. */
function isKind(need: Need): need is StoreKind {
  return storeKinds.some((kind) => kind === need)
}

/** Why a case that needs that cannot be run; undefined if it can. */
export function whyNot({ traits, virtual }: Place, need: Need): string | undefined {
  if (isKind(need)) return traits.kinds.includes(need) ? undefined : `this store keeps no ${need}`
  const has = need === 'real time' ? !virtual : traits[need]
  return has ? undefined : reasons[need]
}

/** How the name of a case that is left out goes on; the reason follows. */
export const LEFT_OUT = ' — left out: '

/** As `test`, for a case that needs something. Where the place lacks it, the case is shown by its name with the reason. */
export function given(place: Place, ...needs: readonly Need[]) {
  const why = needs.map((need) => whyNot(place, need)).find((reason) => reason !== undefined)
  return (name: string, body: () => void | Promise<void>): void => {
    if (why === undefined) test(name, body)
    else test.skip(name + LEFT_OUT + why)
  }
}
