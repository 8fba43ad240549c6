/** The status codes of gRPC that mean something here. */
export const grpcCodes = {
  invalidArgument: 3,
  deadlineExceeded: 4,
  notFound: 5,
  permissionDenied: 7,
  resourceExhausted: 8,
  failedPrecondition: 9,
  unavailable: 14,
  unauthenticated: 16,
} as const

/** The server answered, and refused. */
export class GrpcError extends Error {
  override readonly name = 'GrpcError'

  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message)
  }
}

/** There was no answer: the connection could not be opened, or ended. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError'

  constructor(
    message: string,
    /** Whether the request may have reached the server. */
    readonly sent: boolean,
    cause?: unknown,
  ) {
    super(message, { cause })
  }
}
