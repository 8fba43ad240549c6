import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { Daemon } from '../servers/daemon.js'
import { goProgram } from '../servers/go-program.js'
import { onPath } from '../servers/path.js'

export interface ExportedSpan {
  readonly name: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly attributes?: readonly ExportedAttribute[]
  readonly links?: ReadonlyArray<{
    readonly spanId: string
    readonly attributes?: readonly ExportedAttribute[]
  }>
  readonly status?: { readonly code?: number }
}

export interface ExportedMetric {
  readonly name: string
  readonly unit?: string
  readonly sum?: { readonly isMonotonic?: boolean; readonly dataPoints: readonly ExportedPoint[] }
  readonly histogram?: { readonly dataPoints: readonly ExportedPoint[] }
}

export interface ExportedPoint {
  readonly attributes?: readonly ExportedAttribute[]
  readonly asInt?: string
  readonly count?: string
}

export interface ExportedAttribute {
  readonly key: string
  readonly value: { readonly stringValue?: string; readonly intValue?: string; readonly boolValue?: boolean }
}

/** An OpenTelemetry Collector that passes on all it gets, as JSON, to this process. */
export class Collector implements AsyncDisposable {
  readonly spans: ExportedSpan[] = []
  readonly metrics: ExportedMetric[] = []

  private constructor(
    private readonly backend: Server,
    private readonly daemon: Daemon,
  ) {
    backend.on('request', (request, response) => {
      void this.#take(request).finally(() => response.end('{}'))
    })
  }

  /** Why there can be none here; undefined where there can. */
  static async refusal(): Promise<string | undefined> {
    return (await onPath('go')) === undefined ? 'there is no Go to build it' : undefined
  }

  static async start(): Promise<Collector> {
    const program = await goProgram(new URL('./collector/', import.meta.url), 'otel-collector')
    const backend = createServer()
    await new Promise<void>((resolve) => backend.listen(0, '127.0.0.1', resolve))
    const { port } = addressOf(backend)
    const daemon = await Daemon.start({
      command: [program],
      args: () => ['--config', 'file:collector.yaml'],
      files: (own) => ({ 'collector.yaml': configuration(own, `http://127.0.0.1:${port}`) }),
    })
    return new Collector(backend, daemon)
  }

  get url(): string {
    return this.daemon.url
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.daemon.stop()
    this.backend.closeAllConnections()
    await new Promise((resolve) => this.backend.close(resolve))
  }

  async #take(request: IncomingMessage): Promise<void> {
    const body: { resourceSpans?: ResourceSpans[]; resourceMetrics?: ResourceMetrics[] } = JSON.parse(
      await text(request),
    )
    for (const { scopeSpans } of body.resourceSpans ?? [])
      for (const { spans } of scopeSpans) this.spans.push(...spans)
    for (const { scopeMetrics } of body.resourceMetrics ?? [])
      for (const { metrics } of scopeMetrics) this.metrics.push(...metrics)
  }
}

interface ResourceSpans {
  readonly scopeSpans: ReadonlyArray<{ readonly spans: readonly ExportedSpan[] }>
}

interface ResourceMetrics {
  readonly scopeMetrics: ReadonlyArray<{ readonly metrics: readonly ExportedMetric[] }>
}

function addressOf(server: Server): AddressInfo {
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('the server has no port')
  return address
}

function configuration(port: number, backend: string): string {
  return `
receivers:
  otlp:
    protocols:
      http:
        endpoint: 127.0.0.1:${port}
exporters:
  otlphttp:
    endpoint: ${backend}
    encoding: json
    compression: none
    sending_queue:
      enabled: false
service:
  pipelines:
    traces:
      receivers: [otlp]
      exporters: [otlphttp]
    metrics:
      receivers: [otlp]
      exporters: [otlphttp]
`
}
