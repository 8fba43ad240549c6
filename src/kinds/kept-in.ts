import type { StoreSession } from '../port/store.js'
import { type StoreKind, storeKinds } from '../port/store-traits.js'

/** What a session keeps. */
export function keptIn(session: StoreSession): readonly StoreKind[] {
  return storeKinds.filter((kind) => {
    if (kind === 'computeOnce') return session.values
    return kind === 'guardedValue' ? session.guardedValues : session[kind]
  })
}
