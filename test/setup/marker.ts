/** Secrets of which each is a text that is nowhere else, and the places where none of them may be found. */
import { randomUUID } from 'node:crypto'
import { inspect } from 'node:util'
import { AggregationTemporality, InMemoryMetricExporter } from '@opentelemetry/sdk-metrics'
import { InMemorySpanExporter } from '@opentelemetry/sdk-trace-base'
import { Registry } from 'prom-client'
import { expect } from 'vitest'
import { type Holdfast, HoldfastError, type HoldfastEvents } from '../../src/index.js'
import { instrument } from '../../src/integrations/otel/index.js'
import { expose } from '../../src/integrations/prometheus/index.js'
import { acquireChannel } from '../../src/observe/trace/acquire.js'
import { holdChannel } from '../../src/observe/trace/hold.js'
import { releaseChannel } from '../../src/observe/trace/release.js'
import { Sdk } from '../otel/scene.js'
import { rejection } from './later.js'
import { publicCalls } from './public-calls.js'

export { rejection }

const EVENTS = {
  waiting: true,
  acquired: true,
  renewed: true,
  released: true,
  suspended: true,
  lost: true,
  warning: true,
  deadlock: true,
  error: true,
} satisfies Record<keyof HoldfastEvents, true>

export class Marker {
  readonly text = `s3cret${randomUUID().replaceAll('-', '')}`

  /** @param whose secret it is, where several are looked for */
  constructor(private readonly whose = '') {}

  /** Looks wherever a program that logs an error, or prints an uncaught one, looks. */
  expectNone(what: unknown, where: string): void {
    const bare = this.text.slice(6)
    // Also within bytes that are shown as such, and within base64.
    const forms = [
      bare,
      Buffer.from(bare).toString('hex').slice(0, 40),
      Buffer.from(bare).toString('base64').slice(4, 36),
    ]
    for (const text of textsOf(what)) {
      const plain = text.replaceAll(/(?<=[\da-f]{2}) (?=[\da-f]{2})/g, '')
      for (const form of forms) {
        const at = plain.indexOf(form)
        if (at >= 0)
          expect.fail(
            `${this.whose} ${where} tells the secret: …${plain.slice(Math.max(0, at - 300), at + 40)}…`,
          )
      }
    }
  }
}

const ALL = { depth: Infinity, showHidden: true, getters: true, maxStringLength: null, maxArrayLength: null }

function textsOf(what: unknown): string[] {
  return [String(what), inspect(what, ALL), inspect(what), jsonOf(what)]
}

function jsonOf(what: unknown): string {
  try {
    return (
      JSON.stringify(what, (_, value: unknown) =>
        value instanceof Error
          ? { ...value, message: value.message, stack: value.stack, cause: value.cause }
          : value,
      ) ?? ''
    )
  } catch {
    return ''
  }
}

export class Heard implements AsyncDisposable {
  readonly all: unknown[] = []
  readonly #spans = new InMemorySpanExporter()
  readonly #metrics = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
  readonly #sdk = new Sdk(this.#spans, this.#metrics)
  readonly #registry = new Registry()
  readonly #ends: Disposable[] = []

  constructor(private readonly holdfast: Holdfast) {
    for (const event of Object.keys(EVENTS))
      Reflect.apply(holdfast.on, holdfast, [event, (told: unknown) => this.all.push(told)])
    const hear = (told: unknown): void => void this.all.push(told)
    const listener = { start: hear, end: hear, asyncStart: hear, asyncEnd: hear, error: hear }
    for (const channel of [acquireChannel, holdChannel, releaseChannel]) {
      channel.subscribe(listener)
      this.#ends.push({ [Symbol.dispose]: () => channel.unsubscribe(listener) })
    }
    this.#ends.push(instrument(holdfast, this.#sdk), expose(holdfast, { registry: this.#registry }))
  }

  async told(): Promise<unknown[]> {
    await this.#sdk.flush()
    const spans = this.#spans
      .getFinishedSpans()
      .map(({ name, attributes, events, status }) => ({ name, attributes, events, status }))
    const metrics = this.#metrics.getMetrics().map(({ scopeMetrics }) => scopeMetrics)
    return [...this.all, spans, metrics, await this.#registry.metrics(), this.holdfast.metrics()]
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const end of this.#ends) end[Symbol.dispose]()
    await this.#sdk[Symbol.asyncDispose]()
  }
}

/**
 * Uses a client, which fails, and looks for the secret in all that is told of it.
 *
 * @returns the errors: at least one, and all of Holdfast's own
 */
export async function useWithout(marker: Marker, holdfast: Holdfast, name: string): Promise<HoldfastError[]> {
  await using heard = new Heard(holdfast)
  const calls = Object.values(publicCalls).map((call) => rejection(() => call(holdfast, name)))
  const errors = (await Promise.all(calls)).filter((error) => error !== undefined)
  await holdfast.close({ timeoutMs: 100 })
  const closed = await rejection(() => holdfast.lock(name).tryAcquire())
  for (const error of [...errors, closed]) marker.expectNone(error, 'an error')
  for (const told of await heard.told()) marker.expectNone(told, 'an event, a channel, a span or a metric')
  for (const error of errors) expect(error).toBeInstanceOf(HoldfastError)
  return errors.filter((error) => error instanceof HoldfastError)
}
