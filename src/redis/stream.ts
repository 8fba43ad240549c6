/** What Holdfast does to a client's socket. */
interface Stream {
  cork?(): void
  uncork?(): void
  destroy?(): void
  unref?(): void
}

/** The socket of a client that has one: not before it has connected, and not a cluster, whose nodes have theirs. */
export function streamOf(client: object): Stream | undefined {
  const stream = 'stream' in client ? client.stream : undefined
  return isStream(stream) ? stream : undefined
}

function isStream(value: unknown): value is Stream {
  return typeof value === 'object' && value !== null
}
