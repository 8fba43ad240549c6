/** The filter outside of HTTP. nestjs.test.ts has it in applications. */
import type { ArgumentsHost } from '@nestjs/common'
import { expect, test } from 'vitest'
import { HoldfastError, LockTimeoutError } from '../../src/index.js'
import { LockFilter } from '../../src/integrations/nestjs/index.js'

test('users 7: what is no request over HTTP is passed on', () => {
  const host: unknown = { getType: () => 'rpc' }
  const isHost = (it: unknown): it is ArgumentsHost => it === host
  if (!isHost(host)) throw new TypeError()
  expect(() => new LockFilter().catch(new LockTimeoutError('secret', 100, {}), host)).toThrow(HoldfastError)
})
