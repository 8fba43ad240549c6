/** What Node has of a request; elsewhere there is none. */
export interface Bindings {
  readonly incoming?: object
  readonly outgoing?: {
    readonly destroyed: boolean
    destroy(): unknown
    once(event: 'close', listener: () => void): unknown
  }
}

/** The last part of a request's path, with a slash before it: all that tells what is asked for, wherever the page is mounted. */
export function lastPartOf(request: Request, { env }: { env?: unknown } = {}): string {
  const { pathname } = addressOf(request, bindingsOf(env))
  return pathname.slice(pathname.lastIndexOf('/'))
}

/** Where the page is, if its slash was forgotten: beside the address that was asked for. */
export function mountOf(request: Request, env: Bindings | undefined): string | undefined {
  const { pathname, search } = addressOf(request, env)
  const part = pathname.slice(pathname.lastIndexOf('/') + 1)
  // Nothing that looks like a file is a place to mount a page at.
  return part.includes('.') || part.includes('%') ? undefined : `./${part}/${search}`
}

/** What the browser has asked for: a router that mounts an application may have cut off the beginning. */
function addressOf(request: Request, env: Bindings | undefined): URL {
  const { incoming } = env ?? {}
  const original: unknown = incoming && 'originalUrl' in incoming ? incoming.originalUrl : undefined
  return new URL(typeof original === 'string' ? original.replace(/^\/+/, '/') : request.url, request.url)
}

function bindingsOf(env: unknown): Bindings | undefined {
  return typeof env === 'object' && env !== null ? env : undefined
}
