import type { SpanContext } from '@opentelemetry/api'
import { expect, test } from 'vitest'
import { Holders } from '../../src/integrations/otel/holders.js'

const lock = { kind: 'lock', name: 'x' }
const span: SpanContext = { traceId: '1', spanId: '2', traceFlags: 1 }

test('a lock is known as long as somebody asks for it or has it, and no longer', () => {
  const holders = new Holders()
  holders.began(lock, span)
  holders.used(lock)
  expect([...holders.current(lock)]).toEqual([span])
  expect(holders.last(lock)).toBeUndefined()
  holders.ended(lock, span)
  // A hold ends once.
  holders.ended(lock, span)
  expect([...holders.current(lock)]).toEqual([])
  expect(holders.last(lock)).toBe(span)
  expect(holders.last({ ...lock, kind: 'semaphore' })).toBeUndefined()
  holders.left(lock)
  expect(holders.last(lock)).toBeUndefined()
})
