/** Between a call of several locks and what it does for each lie more frames than are kept by default. */
const FRAMES = 40

/** The stack of the running code, for people. */
export function calledFrom(): string | undefined {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = Math.max(stackTraceLimit, FRAMES)
  try {
    return new Error('called here').stack
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}
