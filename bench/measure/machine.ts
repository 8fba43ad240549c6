import { cpus, release, totalmem, type } from 'node:os'
import process from 'node:process'

/** Where the figures come from. */
export interface Machine {
  readonly system: string
  readonly processor: string
  readonly cores: number
  readonly memoryGb: number
  readonly node: string
  readonly server: string
}

export function machineWith(server: string): Machine {
  const processors = cpus()
  return {
    system: `${type()} ${release()}`,
    processor: processors[0]?.model.trim() || 'of unknown make',
    cores: processors.length,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    node: process.versions.node,
    server,
  }
}
