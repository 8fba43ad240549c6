import process from 'node:process'
import picocolors from 'picocolors'

/** Colours, on a terminal that may have them; elsewhere the plain text. */
export const palette = picocolors.createColors(process.stdout.isTTY === true && !process.env['NO_COLOR'])

export type Palette = typeof palette
