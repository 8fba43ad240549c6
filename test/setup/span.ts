/** A time that is itself what a test is about, such as one in which nothing may be sent: no event can stand for it. */
export function span(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
