/** The status codes of gRPC that mean something here. */
export const grpcCodes = {
  cancelled: 1,
  unknown: 2,
  deadlineExceeded: 4,
  notFound: 5,
  permissionDenied: 7,
  resourceExhausted: 8,
  aborted: 10,
  internal: 13,
  unavailable: 14,
  unauthenticated: 16,
} as const

/** The codes that belong to etcd's texts. Its proxy passes on the texts without the codes. */
const CODES_OF_WORDS: ReadonlyArray<readonly [RegExp, number]> = [
  [/requested lease not found/, grpcCodes.notFound],
  [/permission denied/, grpcCodes.permissionDenied],
  [/invalid auth token/, grpcCodes.unauthenticated],
  [/too many requests|database space exceeded/, grpcCodes.resourceExhausted],
  // A leader that hands over to another drops proposals: etcd has no code of its own for that.
  [/proposal dropped|no leader|leader changed|not leader|timed out|unhealthy|stopped/, grpcCodes.unavailable],
]

/** The server answered, and refused. */
export class GrpcError extends Error {
  override readonly name = 'GrpcError'
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    const told = code === grpcCodes.unknown && CODES_OF_WORDS.find(([words]) => words.test(message))
    this.code = told ? told[1] : code
  }
}

/** No answer came: the connection did not open, or ended, or the answer stopped short. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError'

  constructor(
    message: string,
    /** Whether the server may have carried out the request. */
    readonly sent: boolean,
    cause?: unknown,
  ) {
    super(message, { cause })
  }
}
