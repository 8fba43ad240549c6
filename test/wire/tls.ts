import { readFile } from 'node:fs/promises'
import { createServer } from 'node:tls'
import { type Endpoint, Wire } from './wire.js'

/** A wire that speaks TLS to clients, and passes on what it hears to a server that does not; `ca` is what a client has to trust. */
export async function tlsBefore(server: Endpoint): Promise<{ readonly wire: Wire; readonly ca: string }> {
  const read = (file: string): Promise<string> =>
    readFile(new URL(`../connections/certificate/${file}`, import.meta.url), 'utf8')
  const [key, cert] = await Promise.all([read('key.pem'), read('cert.pem')])
  return { wire: await Wire.before(server, createServer({ key, cert })), ca: cert }
}
