import type { TracingChannel } from 'node:diagnostics_channel'

/**
 * Publishes `trace` on the sub-channels of `channel` as `TracingChannel.tracePromise` does: `start` around the call of `run`, `end` when
 * that has returned its promise, `error` if it rejects, then `asyncStart` and `asyncEnd`. Unlike that, it keeps the promise's result out of
 * the message, because that is internal to Holdfast: `onResult` and `onError` fill the message. Only for channels somebody listens to.
 */
export function publishAround<Trace extends { error: unknown }, Result>(
  channel: TracingChannel<unknown, Trace>,
  trace: Trace,
  run: () => Promise<Result>,
  onResult: (result: Result) => void,
  onError: (error: unknown) => void,
): Promise<Result> {
  const settled = (): void => {
    channel.asyncStart.publish(trace)
    channel.asyncEnd.publish(trace)
  }
  return channel.start.runStores(trace, () => {
    try {
      return run().then(
        (result) => {
          onResult(result)
          settled()
          return result
        },
        (error: unknown) => {
          trace.error = error
          onError(error)
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
