import { chown, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Place } from './product.js'

/** A certificate for 127.0.0.1 that is its own authority, and its key, both in PEM. */
export interface Certificate {
  readonly key: string
  readonly cert: string
}

export interface CertificateFiles {
  readonly keyFile: string
  readonly certFile: string
}

/** Puts them where the server finds them; servers refuse a key that others may read. */
export async function writeCertificate(
  { dir, installed: { identity } }: Place,
  { key, cert }: Certificate,
): Promise<CertificateFiles> {
  const files = { keyFile: join(dir, 'key.pem'), certFile: join(dir, 'cert.pem') }
  for (const [file, text] of [
    [files.keyFile, key],
    [files.certFile, cert],
  ] as const) {
    await writeFile(file, text, { mode: 0o600 })
    if (identity) await chown(file, identity.uid, identity.gid)
  }
  return files
}
