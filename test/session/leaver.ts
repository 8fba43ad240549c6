import { spawn } from 'node:child_process'
import { once } from 'node:events'
import process from 'node:process'
import { programOf } from '../setup/programs.js'

/** A process keeps that lock, with nobody inside, and calls `process.exit()`. */
export async function exitsKeeping(store: 'etcd' | 'ZooKeeper', server: string, name: string): Promise<void> {
  const program = programOf(new URL('./leaver.fixture.ts', import.meta.url))
  const child = spawn(process.execPath, [program, store, server, name], { stdio: 'inherit' })
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`the process ended with ${code}`)
}
