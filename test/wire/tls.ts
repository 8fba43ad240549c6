import { createServer } from 'node:tls'
import { certificate } from '../setup/certificate.js'
import { type Endpoint, Wire } from './wire.js'

/** A wire that speaks TLS to clients, and passes on what it hears to a server that does not; `ca` is what a client has to trust. */
export async function tlsBefore(server: Endpoint): Promise<{ readonly wire: Wire; readonly ca: string }> {
  return { wire: await Wire.before(server, createServer(certificate)), ca: certificate.cert }
}
