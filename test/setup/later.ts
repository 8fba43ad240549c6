/** Marks an expectation that the test awaits later: if it fails before, the test learns that when it awaits it, and Node reports no unhandled rejection. */
export function later<Result>(expectation: Promise<Result>): Promise<Result> {
  expectation.catch(() => undefined)
  return expectation
}

export async function rejection(call: () => unknown): Promise<unknown> {
  try {
    await call()
    return undefined
  } catch (error) {
    return error
  }
}
