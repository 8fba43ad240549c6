/** Why a client of Valkey GLIDE is refused: docs/decisions.md. If this fails with a newer version, one reason is gone. */
import { GlideClient } from '@valkey/valkey-glide'
import { expect, inject, onTestFinished, test } from 'vitest'
import { named } from '../fault/proxied-command.js'
import { RespProxy } from '../fault/proxy.js'
import { eventually } from '../setup/eventually.js'

test('C3: Valkey GLIDE does not end a connection on which a command went without an answer', async () => {
  const proxy = await RespProxy.before(inject('servers').standalone)
  onTestFinished(() => proxy.stop())
  const addresses = [{ host: proxy.host, port: proxy.port }]
  const silent = await GlideClient.createClient({ addresses, requestTimeout: 100 })
  const idle = await GlideClient.createClient({ addresses })
  void proxy.dropReply(named('ECHO'), 'silence')
  await expect(silent.customCommand(['ECHO', 'hello'])).rejects.toThrow('timed out')
  silent.close()
  idle.close()
  // GLIDE looks for closed clients every few seconds, and so ends their connections in the order in which it made them.
  await eventually(() => proxy.open.length < 2)
  expect(proxy.open.map(({ index }) => index)).toEqual([0])
})
