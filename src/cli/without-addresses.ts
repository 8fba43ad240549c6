import { masked } from '../base/errors/cause.js'
import { usageError } from './failure.js'

/** A message without those words of the command line that may be an address, since an address may contain a password. */
export function withoutAddresses(message: string, words: readonly string[]): string {
  return words.reduce((text, word) => {
    const [value] = /(?<=^--[a-z-]+=).+$/is.exec(word) ?? []
    if (/:\/\/|@/.test(word)) return text.replaceAll(value ?? word.replace(/^-[a-z]=?/i, ''), '…')
    return value === undefined ? text : masked(text, value)
  }, message)
}

/** Parses a name, or a pattern of names. In the place of one, an address with a password would be shown as the name, and kept in the store. */
export function parseName(text: string): string {
  if (/^(redis|postgres|mysql|mariadb|etcd|zk|memcached)[a-z+-]*:\/\/.*@/is.test(text))
    throw usageError(
      'The URL of a server stands where the name of a lock belongs. It comes after --url, or, with a password, into HOLDFAST_URL.',
    )
  return text
}
