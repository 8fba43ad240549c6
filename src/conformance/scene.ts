import type { Holdfast } from '../index.js'
import { journalOf } from './journal.js'
import type { Place } from './place.js'

/** A client and a lock of its own, and what a case mostly needs beside them, each made when it is asked for. */
export function scene(place: Place, holdfast: Holdfast = place.holdfast()) {
  const lock = holdfast.lock(place.lockName())
  return {
    holdfast,
    lock,
    /** The same lock, of another client. */
    get far() {
      return place.holdfast().lock(lock.name)
    },
    get owner() {
      return holdfast.owner()
    },
    get lost() {
      return journalOf(holdfast, 'lost')
    },
    get renewed() {
      return journalOf(holdfast, 'renewed')
    },
    get suspended() {
      return journalOf(holdfast, 'suspended')
    },
    get acquired() {
      return journalOf(holdfast, 'acquired')
    },
    get released() {
      return journalOf(holdfast, 'released')
    },
    get waiting() {
      return journalOf(holdfast, 'waiting')
    },
    get errors() {
      return journalOf(holdfast, 'error')
    },
    get warnings() {
      return journalOf(holdfast, 'warning')
    },
  }
}
