import process from 'node:process'
import { styleText } from 'node:util'

const coloured = process.stdout.isTTY === true && !process.env['NO_COLOR']

function paint(colour: Parameters<typeof styleText>[0]) {
  return (text: string) => (coloured ? styleText(colour, text, { validateStream: false }) : text)
}

/** Colours, on a terminal that may have them; elsewhere the plain text. */
export const palette = {
  bold: paint('bold'),
  dim: paint('dim'),
  cyan: paint('cyan'),
  green: paint('green'),
  red: paint('red'),
}

export type Palette = typeof palette
