import { readFileSync } from 'node:fs'
import type { HistoryEvent } from './event.js'

/** The history a worker has written. A last line that was cut off by its end is dropped. */
export function readHistory(path: string): HistoryEvent[] {
  const lines = readFileSync(path, 'utf8').split('\n')
  lines.pop()
  return lines.map((line): HistoryEvent => JSON.parse(line))
}
