/** The filter with the response of Fastify, which Nest hands to it there, and outside of HTTP. */
import type { ArgumentsHost } from '@nestjs/common'
import fastify from 'fastify'
import { afterEach, expect, test } from 'vitest'
import { HoldfastError, LockTimeoutError } from '../../src/index.js'
import { LockFilter } from '../../src/integrations/nestjs/index.js'

const app = fastify()
afterEach(() => app.close())

const error = new LockTimeoutError('secret', 100, {})

function hostOf(type: string, response: unknown): ArgumentsHost {
  const host: unknown = { getType: () => type, switchToHttp: () => ({ getResponse: () => response }) }
  const isHost = (it: unknown): it is ArgumentsHost => it === host
  if (!isHost(host)) throw new TypeError()
  return host
}

test('users 7: on Fastify a lock that is in use is a 423 too', async () => {
  app.get('/', (_, reply) => {
    new LockFilter().catch(error, hostOf('http', reply))
    return reply
  })
  const { statusCode, headers, body } = await app.inject('/')
  expect(statusCode).toBe(423)
  expect(headers).toMatchObject({ 'retry-after': '1', 'content-type': 'application/json; charset=utf-8' })
  expect(JSON.parse(body)).toMatchObject({ code: 'LOCK_TIMEOUT' })
  expect(body).not.toContain('secret')
})

test('users 7: what is no request over HTTP is passed on', () => {
  expect(() => new LockFilter().catch(error, hostOf('rpc', undefined))).toThrow(HoldfastError)
})
