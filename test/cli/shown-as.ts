import { ownerText } from '../../src/base/identity/label.js'

/** An owner with a label as the program shows it, for a regular expression; with remarks, which are one already. */
export function shownAs(owner: string, remarks = ''): string {
  const text = ownerText(owner).replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  return remarks === '' ? text : text.replace(/\\\)$/, `, ${remarks}\\)`)
}
