import { unpackFromDebian } from './debian.js'
import { inDebian, oldest } from './flavour.js'
import type { Need, Way } from './launch.js'
import { onPath } from './path.js'
import { processLauncher } from './process.js'

/** What to type where a package manager can install a server, but not beside the system. */
export const installCommands: readonly (readonly [manager: string, command: string])[] = [
  ['apt-get', 'sudo apt-get install redis-server'],
  ['dnf', 'sudo dnf install valkey'],
  ['apk', 'sudo apk add valkey'],
  ['brew', 'brew install redis'],
]

/** Has the system's package manager bring a server, into a folder of the user's where it can do that. */
export async function findPackage({ wanted }: Need): Promise<Way | string> {
  if ((await onPath('apt-get')) === undefined || (await onPath('dpkg')) === undefined) {
    for (const [manager, command] of installCommands) {
      if ((await onPath(manager)) !== undefined) return `${manager} can bring one, if you run: ${command}`
    }
    return 'no package manager this knows (apt-get, dnf, apk, brew)'
  }
  const flavour = wanted === 'any' ? oldest : wanted
  try {
    const { root, command } = await unpackFromDebian(inDebian(flavour))
    return {
      how: 'package',
      from: `Debian's packages, unpacked in ${root}`,
      launcher: processLauncher(command),
    }
  } catch (error) {
    return `Debian's packages could not be had: ${error instanceof Error ? error.message.trim() : String(error)}`
  }
}
