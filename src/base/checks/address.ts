/** Where a server listens. */
export interface Address {
  readonly host: string
  readonly port: number
}

const PATTERN = /^(?:\[(?<six>[\w:.%]+)\]|(?<name>[^\s:/@[\],]+))(?::(?<port>\d{1,5}))?$/

/** Reads `host`, `host:port`, `[::1]` or `[::1]:2181`; returns undefined for anything else. */
export function readAddress(text: unknown, defaultPort: number): Address | undefined {
  const parts = typeof text === 'string' ? PATTERN.exec(text)?.groups : undefined
  const host = parts?.['six'] ?? parts?.['name']
  const port = Number(parts?.['port'] ?? defaultPort)
  return host === undefined || port < 1 || port > 65_535 ? undefined : { host, port }
}

/** Writes an address as {@link readAddress} reads it. */
export function addressText({ host, port }: Address): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
}
