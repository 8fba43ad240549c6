import { execFile } from 'node:child_process'
import { access } from 'node:fs/promises'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { onPath } from '../../test/servers/path.js'
import type { Runtime } from '../entry.js'
import { fileOf } from './build.js'

/** How a driver is started; its order comes as one more argument. */
export interface Command {
  readonly file: string
  readonly args: readonly string[]
}

const run = promisify(execFile)
const inBench = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url))
const known = new Map<Runtime, Promise<Command | string>>()

/** The command of a runtime's driver, built when first asked for; or why there is none. */
export function commandOf(runtime: Runtime): Promise<Command | string> {
  const command = known.get(runtime) ?? makers[runtime]()
  known.set(runtime, command)
  return command
}

const makers: Readonly<Record<Runtime, () => Promise<Command | string>>> = {
  node: () => Promise.resolve({ file: process.execPath, args: [fileOf('driver')] }),
  jvm: async () => {
    const java = await onPath('java')
    if (java === undefined) return 'no java on the PATH'
    const jar = inBench('jvm/target/jvm-driver.jar')
    const trouble = await built('mvn', ['-q', '-B', '-f', inBench('jvm/pom.xml'), 'package'], inBench('.'))
    if (await exists(jar)) return { file: java, args: ['-Xmx512m', '-jar', jar] }
    return trouble ?? `mvn package made no ${jar}`
  },
  go: async () => {
    const driver = inBench('go/driver')
    const trouble = await built('go', ['build', '-o', 'driver', '.'], inBench('go'))
    if (await exists(driver)) return { file: driver, args: [] }
    return trouble ?? `go build made no ${driver}`
  },
}

async function built(program: string, args: readonly string[], cwd: string): Promise<string | undefined> {
  const file = await onPath(program)
  if (file === undefined) return `no ${program} on the PATH`
  try {
    await run(file, args, { cwd, timeout: 600_000 })
    return undefined
  } catch (error) {
    const said = error instanceof Error ? error.message.trim().split('\n').slice(0, 3).join(' ') : `${error}`
    return `${program} failed: ${said}`
  }
}

function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  )
}
