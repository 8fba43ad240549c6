/*
 * Makes the Docker images the tests ask for, from Debian's packages, where the engine has none of that name. For
 * machines that reach no image registry, such as those of CI; elsewhere testcontainers pulls the real ones.
 */
import process from 'node:process'
import { unpackFromDebian } from './debian.js'
import { flavours, inDebian, releases } from './flavour.js'
import { run } from './kept.js'
import { succeeds } from './until.js'

for (const flavour of flavours) {
  const { image } = releases[flavour]
  if (await succeeds(run('docker', ['image', 'inspect', image]))) continue
  if (await succeeds(run('docker', ['pull', '--quiet', image]))) {
    process.stderr.write(`pulled ${image}\n`)
    continue
  }
  const { root } = await unpackFromDebian(inDebian(flavour))
  const script = 'tar -C "$1" -cf - . | docker import - "$2"'
  await run('bash', ['-o', 'pipefail', '-c', script, 'bash', root, image])
  process.stderr.write(`made ${image} from Debian's packages\n`)
}
