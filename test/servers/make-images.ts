/*
 * Makes the Docker images the tests ask for, from Debian's packages, where the engine has none of that name. For
 * machines that reach no image registry, such as those of CI; elsewhere testcontainers pulls the real ones.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import process from 'node:process'
import { unpackFromDebian } from './debian.js'
import { flavours, inDebian, releases } from './flavour.js'

for (const flavour of flavours) {
  const { image } = releases[flavour]
  if (await succeeds('docker', ['image', 'inspect', image])) continue
  if (await succeeds('docker', ['pull', '--quiet', image])) {
    process.stderr.write(`pulled ${image}\n`)
    continue
  }
  const { root } = await unpackFromDebian(inDebian(flavour))
  await importImage(root, image)
  process.stderr.write(`made ${image} from Debian's packages\n`)
}

async function succeeds(program: string, args: readonly string[]): Promise<boolean> {
  const [code] = await once(spawn(program, args, { stdio: 'ignore' }), 'exit')
  return code === 0
}

async function importImage(root: string, image: string): Promise<void> {
  const tar = spawn('tar', ['-C', root, '-cf', '-', '.'], { stdio: ['ignore', 'pipe', 'inherit'] })
  const docker = spawn('docker', ['import', '-', image], { stdio: [tar.stdout, 'ignore', 'inherit'] })
  const [code] = await once(docker, 'exit')
  if (code !== 0) throw new Error(`docker import of ${image} failed`)
}
