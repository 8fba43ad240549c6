/** A certificate that is its own authority, for 127.0.0.1. */
import { readFile } from 'node:fs/promises'
import { rootCertificates } from 'node:tls'

function read(file: string): Promise<string> {
  return readFile(new URL(`../connections/certificate/${file}`, import.meta.url), 'utf8')
}

const [key, cert] = await Promise.all([read('key.pem'), read('cert.pem')])

export const certificate = { key, cert }

/** What a client says of a server's certificate. The name is what the socket of some libraries does not tell. */
export const trust = {
  right: { ca: cert, host: '127.0.0.1' },
  /** An authority that has not signed it. */
  wrong: { ca: rootCertificates[0], host: '127.0.0.1' },
  /** A name that it is not for. */
  elsewhere: { ca: cert, host: 'elsewhere.test' },
}
