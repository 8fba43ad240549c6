import { readFile } from 'node:fs/promises'

/** The sections of one cell, all processes together, in the order in which they were entered. */
export interface Records {
  readonly count: number
  readonly waiter: Float64Array
  readonly process: Uint16Array
  readonly requestedAt: Float64Array
  readonly enteredAt: Float64Array
  readonly leftAt: Float64Array
}

/** A driver's file: float64 quadruples of waiter, requested, entered, left. */
export const FIELDS = 4

export async function readRecords(files: readonly string[]): Promise<Records> {
  return merge(await Promise.all(files.map(readQuadruples)))
}

async function readQuadruples(file: string): Promise<Float64Array> {
  const bytes = await readFile(file)
  const whole = Math.floor(bytes.length / (FIELDS * 8)) * FIELDS
  const copy = new Float64Array(whole)
  new Uint8Array(copy.buffer).set(bytes.subarray(0, whole * 8))
  return copy
}

/** Puts the quadruples of several processes into one order. */
export function merge(parts: readonly Float64Array[]): Records {
  const count = parts.reduce((sum, part) => sum + part.length / FIELDS, 0)
  const fields = new Float64Array(count * FIELDS)
  const origin = new Uint16Array(count)
  let at = 0
  parts.forEach((part, process) => {
    fields.set(part, at * FIELDS)
    origin.fill(process, at, at + part.length / FIELDS)
    at += part.length / FIELDS
  })
  const order = Uint32Array.from({ length: count }, (_, index) => index)
  order.sort((a, b) => (fields[a * FIELDS + 2] ?? 0) - (fields[b * FIELDS + 2] ?? 0))
  const column = (field: number): Float64Array =>
    Float64Array.from(order, (index) => fields[index * FIELDS + field] ?? 0)
  return {
    count,
    waiter: column(0),
    process: Uint16Array.from(order, (index) => origin[index] ?? 0),
    requestedAt: column(1),
    enteredAt: column(2),
    leftAt: column(3),
  }
}
