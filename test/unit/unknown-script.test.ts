import { expect, test } from 'vitest'
import type { Command, Send } from '../../src/stores/redis/connection/link.js'
import { runScript } from '../../src/stores/redis/scripts/script.js'
import { release } from '../../src/stores/redis/scripts/scripts.generated.js'

test.each(['', 'Too many Cluster redirections. Last error: ReplyError: '])(
  'H27: a script that a node does not know is sent to it by its text, however the client library says so: %s',
  async (wrapped) => {
    const sent: string[] = []
    const send: Send = (command) => {
      sent.push(String(command))
      return Promise.resolve(1)
    }
    const error = new Error(`${wrapped}NOSCRIPT No matching script. Please use EVAL.`)
    const link = {
      execute: async <Result>(_: string, make: (send: Send) => Command<unknown, Result>) => {
        const { retry, read } = make(send)
        return await read(await retry?.(error))
      },
    }
    expect(await runScript(link, release, 'a', 'a', [], (reply) => reply)).toBe(1)
    expect(sent).toEqual(['EVAL'])
  },
)
