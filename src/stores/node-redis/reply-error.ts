/** Error replies begin with a code in capitals; what node-redis and Node say of a connection does not. */
const REPLY = /^-?[A-Z][A-Z0-9_]*(?: |$)/

/**
 * Whether a server has answered with that error. Its text tells: each version of node-redis has its own classes, and bundles lose their
 * names.
 */
function isErrorReply(error: unknown): error is Error {
  return error instanceof Error && !('code' in error) && REPLY.test(error.message)
}

/** The error under the name that error replies have with ioredis, if it is one. */
export function namedReply(error: unknown): unknown {
  if (isErrorReply(error)) error.name = 'ReplyError'
  return error
}
