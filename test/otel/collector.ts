import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { text } from 'node:stream/consumers'
import { Daemon } from '../servers/daemon.js'
import { goProgram } from '../servers/go-program.js'
import { onPath } from '../servers/path.js'

export type Attributes = ReadonlyArray<{ key: string; value: { stringValue?: string } }>

interface Point {
  readonly attributes?: Attributes
  readonly asInt?: string
  readonly count?: string
}

export interface ExportedSpan {
  readonly name: string
  readonly spanId: string
  readonly attributes?: Attributes
  readonly links?: ReadonlyArray<{ readonly spanId: string; readonly attributes?: Attributes }>
}

interface ExportedMetric {
  readonly name: string
  readonly unit?: string
  readonly sum?: { readonly isMonotonic?: boolean; readonly dataPoints: readonly Point[] }
  readonly histogram?: { readonly dataPoints: readonly Point[] }
}

/** What it passes on. */
interface Export {
  readonly resourceSpans?: Array<{ scopeSpans: Array<{ spans: ExportedSpan[] }> }>
  readonly resourceMetrics?: Array<{ scopeMetrics: Array<{ metrics: ExportedMetric[] }> }>
}

/** An OpenTelemetry Collector that passes on all it gets, as JSON, to this process. */
export class Collector {
  readonly spans: ExportedSpan[] = []
  readonly metrics: ExportedMetric[] = []

  private constructor(
    private readonly backend: Server,
    private readonly daemon: Daemon,
  ) {
    backend.on('request', (request, response) => void this.#take(request).finally(() => response.end('{}')))
  }

  /** Why there can be none here; undefined where there can. */
  static async refusal(): Promise<string | undefined> {
    return (await onPath('go')) === undefined ? 'there is no Go to build it' : undefined
  }

  static async start(): Promise<Collector> {
    const program = await goProgram(new URL('./collector/', import.meta.url), 'otel-collector')
    const backend = createServer()
    await once(backend.listen(0, '127.0.0.1'), 'listening')
    const { port } = Object(backend.address())
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

  async stop(): Promise<void> {
    await this.daemon.stop()
    this.backend.closeAllConnections()
    await new Promise((resolve) => this.backend.close(resolve))
  }

  async #take(request: IncomingMessage): Promise<void> {
    const { resourceSpans = [], resourceMetrics = [] }: Export = JSON.parse(await text(request))
    this.spans.push(...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)))
    this.metrics.push(
      ...resourceMetrics.flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics)),
    )
  }
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
