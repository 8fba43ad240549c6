import { isOwner, type Owner } from '../../base/identity/owner.js'

/** A place in line: how a process will hold the lock, and under which owner. */
export type Place<Mode extends string = string> = `${Mode}:${Owner}`

export function modeOf(place: Place): string {
  return place.slice(0, place.indexOf(':'))
}

export function ownerOf(place: Place): Owner {
  const [, client = '', number = ''] = place.split(':')
  return `${client}:${Number(number)}`
}

/** The process of a place, or of an owner. */
export function clientOf(place: Place | Owner): string {
  return place.split(':').at(-2) ?? ''
}

/** Whether a text has the format of a place, in whatever mode. */
export function isPlace(text: string): text is Place {
  return /^[^:]+:[^:]+:\d+$/.test(text)
}

/** The owner that a row names. */
export function asOwner(text: string | undefined): Owner | undefined {
  return text !== undefined && isOwner(text) ? text : undefined
}
