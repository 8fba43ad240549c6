import type { TracingChannel } from 'node:diagnostics_channel'

/**
 * Publishes `trace` on the sub-channels of `channel` as `TracingChannel.tracePromise` does: `start` around the call of `run`, `end` when
 * that has returned its promise, `error` if it rejects, then `asyncStart` and `asyncEnd`. Unlike that, it keeps the promise's result out of
 * the message, because that is internal to Holdfast: `onResult` and `onError` give what is put into it. Only for channels somebody listens to.
 */
export function publishAround<Trace extends object, Result>(
  channel: TracingChannel<unknown, Trace>,
  trace: Trace,
  run: () => Promise<Result>,
  onResult: (result: Result) => Partial<Trace>,
  onError?: (error: unknown) => Partial<Trace>,
): Promise<Result> {
  const settled = (): void => {
    channel.asyncStart.publish(trace)
    channel.asyncEnd.publish(trace)
  }
  return channel.start.runStores(trace, () => {
    try {
      return run().then(
        (result) => {
          Object.assign(trace, onResult(result))
          settled()
          return result
        },
        (error: unknown) => {
          Object.assign(trace, { error }, onError?.(error))
          channel.error.publish(trace)
          settled()
          throw error
        },
      )
    } finally {
      channel.end.publish(trace)
    }
  })
}
