/** The server has refused an operation, and done nothing. */
export class RefusedError extends Error {
  constructor(
    readonly operation: string,
    readonly code: number,
  ) {
    super(`${operation}: ${texts[code] ?? `error ${code}`}`)
  }
}

/** ZooKeeper's codes that mean something to a lock. */
export const codes = {
  systemError: -1,
  noNode: -101,
  noAuth: -102,
  badVersion: -103,
  nodeExists: -110,
  sessionExpired: -112,
  invalidAcl: -114,
  authFailed: -115,
  sessionMoved: -118,
  notReadOnly: -119,
  needsSasl: -124,
  quotaExceeded: -125,
  throttled: -127,
} as const

const texts: Readonly<Record<number, string>> = {
  [-1]: 'the server failed',
  [-4]: 'the server lost its connection',
  [-5]: 'the server could not read the request',
  [-6]: 'the server does not know this operation',
  [-7]: 'the operation took too long',
  [-8]: 'bad arguments',
  [codes.noNode]: 'no such node',
  [codes.noAuth]: 'no permission',
  [codes.badVersion]: 'another version',
  [codes.nodeExists]: 'the node exists',
  [codes.sessionExpired]: 'the session has ended',
  [codes.invalidAcl]: 'invalid ACL',
  [codes.authFailed]: 'authentication failed',
  [codes.sessionMoved]: 'the session is on another server',
  [codes.notReadOnly]: 'the server is read-only',
  [codes.needsSasl]: 'the server wants authentication by SASL',
  [codes.quotaExceeded]: 'the quota is exceeded',
  [codes.throttled]: 'the server throttles requests',
}

/** Whether the server has refused it for that. */
export function isRefusal(error: unknown, code: number): boolean {
  return error instanceof RefusedError && error.code === code
}

/** Undefined where there is no such node. */
export async function orNone<Answer>(asked: Promise<Answer>): Promise<Answer | undefined> {
  return await asked.catch((error: unknown) => {
    if (isRefusal(error, codes.noNode)) return undefined
    throw error
  })
}
