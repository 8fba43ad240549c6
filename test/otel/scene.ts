import { context, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import {
  MeterProvider,
  PeriodicExportingMetricReader,
  type PushMetricExporter,
} from '@opentelemetry/sdk-metrics'
import { BasicTracerProvider, SimpleSpanProcessor, type SpanExporter } from '@opentelemetry/sdk-trace-base'

/** An SDK for the length of a test, which exports when it is asked to. */
export class Sdk implements AsyncDisposable {
  readonly tracerProvider
  readonly meterProvider

  constructor(spans: SpanExporter, metrics: PushMetricExporter) {
    this.tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] })
    const reader = new PeriodicExportingMetricReader({ exporter: metrics, exportIntervalMillis: 2 ** 30 })
    this.meterProvider = new MeterProvider({ readers: [reader] })
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  }

  /** Runs it within a span of the application's. */
  within<Result>(name: string, body: () => Promise<Result>): Promise<Result> {
    const span = this.tracerProvider.getTracer('application').startSpan(name)
    return context.with(trace.setSpan(context.active(), span), body).finally(() => span.end())
  }

  async flush(): Promise<void> {
    await this.tracerProvider.forceFlush()
    await this.meterProvider.forceFlush()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.tracerProvider.shutdown()
    await this.meterProvider.shutdown()
    context.disable()
  }
}
