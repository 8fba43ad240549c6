import {
  type Attributes,
  context,
  type Link,
  type Span,
  SpanStatusCode,
  type Tracer,
  trace as tracing,
} from '@opentelemetry/api'
import { ClosedError } from '../../base/errors/errors.js'
import { isError } from '../../base/errors/is-error.js'
import type { AcquireTrace } from '../../observe/trace/acquire.js'
import type { HoldTrace } from '../../observe/trace/hold.js'
import type { ReleaseTrace } from '../../observe/trace/release.js'
import { shownName } from '../../observe/trace/shown-name.js'
import { attribute, errorTypeOf } from './attributes.js'
import { Holders } from './holders.js'

/** A semaphore may have thousands of holders; a span has room for some. */
const MOST_LINKS = 16

/**
 * The spans of one client. A waiter is linked to the hold that let it in, or that stood in its way when its time was up, if that hold was of
 * this client; a release is linked to the hold that it ends.
 */
export class Spans {
  readonly #open = new WeakMap<object, Span>()
  readonly #holders = new Holders()

  constructor(private readonly tracer: Tracer) {}

  acquireBegan(trace: AcquireTrace): void {
    this.#holders.used(trace)
    this.#open.set(trace, this.tracer.startSpan('holdfast.acquire', { attributes: attributesOf(trace) }))
  }

  /** @param within what is to run with the span as the current one */
  acquireEnded(trace: AcquireTrace, within: () => void): void {
    const span = this.#taken(trace)
    if (!span) {
      within()
      return
    }
    const { outcome, holdCount, handedOver, holder, error } = trace
    if (outcome !== undefined) span.setAttribute(attribute.outcome, outcome)
    if (holdCount !== undefined) span.setAttribute(attribute.holdCount, holdCount)
    if (handedOver !== undefined) span.setAttribute(attribute.handedOver, handedOver)
    if (holder !== undefined) span.setAttribute(attribute.holder, holder)
    if (outcome === 'failed') fail(span, error)
    span.addLinks?.(this.#linksOf(trace))
    this.#holders.left(trace)
    end(span, within)
  }

  holdBegan(trace: HoldTrace): void {
    const attributes = {
      ...attributesOf(trace),
      [attribute.holdCount]: trace.holdCount,
      [attribute.handedOver]: trace.handedOver,
    }
    const span = this.tracer.startSpan('holdfast.hold', { attributes })
    this.#open.set(trace, span)
    this.#holders.began(trace, span.spanContext())
    const inside = tracing.setSpan(context.active(), span)
    trace.within = (body) => context.with(inside, body)
  }

  holdEnded(trace: HoldTrace, within: () => void): void {
    const span = this.#open.get(trace)
    if (!span) {
      within()
      return
    }
    this.#holders.ended(trace, span.spanContext())
    // A closed client has not failed.
    if (trace.error instanceof ClosedError) span.setAttribute(attribute.errorType, errorTypeOf(trace.error))
    else if (trace.error !== undefined) fail(span, trace.error)
    end(span, within)
  }

  releaseBegan(trace: ReleaseTrace): void {
    const hold = trace.hold && this.#open.get(trace.hold)
    const links = hold ? [linkTo('hold', hold.spanContext())] : []
    const span = this.tracer.startSpan('holdfast.release', { attributes: attributesOf(trace), links })
    this.#open.set(trace, span)
  }

  releaseEnded(trace: ReleaseTrace): void {
    const span = this.#taken(trace)
    if (!span) return
    const { holdCount, handedOver, error } = trace
    if (holdCount !== undefined) span.setAttribute(attribute.holdCount, holdCount)
    if (handedOver !== undefined) span.setAttribute(attribute.handedOver, handedOver)
    if (error !== undefined) fail(span, error)
    span.end()
  }

  #taken(trace: object): Span | undefined {
    const span = this.#open.get(trace)
    this.#open.delete(trace)
    return span
  }

  #linksOf(trace: AcquireTrace): Link[] {
    if (trace.outcome === 'timeout')
      return Array.from(this.#holders.current(trace))
        .slice(0, MOST_LINKS)
        .map((holder) => linkTo('held_by', holder))
    const last = trace.handedOver ? this.#holders.last(trace) : undefined
    return last ? [linkTo('let_in_by', last)] : []
  }
}

function attributesOf({ name, kind, owner }: Pick<AcquireTrace, 'name' | 'kind' | 'owner'>): Attributes {
  return { [attribute.lockName]: shownName(name), [attribute.lockKind]: kind, [attribute.owner]: owner }
}

function linkTo(what: 'held_by' | 'let_in_by' | 'hold', to: Link['context']): Link {
  return { context: to, attributes: { [attribute.link]: what } }
}

function fail(span: Span, error: unknown): void {
  span.setAttribute(attribute.errorType, errorTypeOf(error))
  span.setStatus({ code: SpanStatusCode.ERROR })
  if (isError(error)) span.recordException(error)
}

function end(span: Span, within: () => void): void {
  context.with(tracing.setSpan(context.active(), span), within)
  span.end()
}
