/** Error replies begin with a code in capitals; what node-redis and Node say of a connection does not. */
const REPLY = /^-?[A-Z][A-Z0-9_]*(?: |$)/

/**
 * The error under the name that error replies have with ioredis, if it is one. Its text tells: each version of node-redis has its own
 * classes, and bundles lose their names.
 */
export function namedReply(error: unknown): unknown {
  if (error instanceof Error && !('code' in error) && REPLY.test(error.message)) error.name = 'ReplyError'
  return error
}
