import { cpus, loadavg, release, totalmem, type } from 'node:os'
import process from 'node:process'

/** Where the figures come from. */
export interface Machine {
  readonly system: string
  readonly processor: string
  readonly cores: number
  readonly memoryGb: number
  readonly node: string
  readonly server: string
  /** How many processes wanted a core before the run, on average of a minute. Absent from earlier results. */
  readonly load?: number
}

export function loadNow(): number {
  return loadavg()[0] ?? 0
}

/** That figures say little, because of what else ran; nothing if little did. */
export function busyness({ load = 0, cores }: Machine): string | undefined {
  if (load <= cores / 2) return undefined
  return `**The machine was busy with other work**: ${load.toFixed(0)} processes wanted its ${cores} cores before the run. Take the figures for an order of magnitude.`
}

export function machineWith(server: string, load: number): Machine {
  const processors = cpus()
  return {
    system: `${type()} ${release()}`,
    processor: processors[0]?.model.trim() || 'of unknown make',
    cores: processors.length,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    node: process.versions.node,
    server,
    load,
  }
}
