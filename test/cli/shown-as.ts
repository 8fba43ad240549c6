import { ownerText } from '../../src/base/identity/label.js'

/** An owner as the program shows it, for a regular expression. */
export function shownAs(owner: string): string {
  return ownerText(owner).replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
