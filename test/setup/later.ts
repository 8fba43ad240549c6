/** For an expectation that is awaited later. That it fails before is told then, and is no unhandled rejection besides. */
export function later<Result>(expectation: Promise<Result>): Promise<Result> {
  expectation.catch(() => undefined)
  return expectation
}
