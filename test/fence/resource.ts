/** What the writers of these tests write to: each kind of resource with its guard. */
import { createConnection } from 'node:net'
import { createInterface } from 'node:readline'
import { StaleFenceError } from '../../src/base/errors/stale-fence-error.js'
import type { Fence } from '../../src/kinds/fencing/fence.js'
import { GuardedValue } from '../../src/kinds/fencing/guarded-value.js'
import type { ProductName, SqlAddress } from '../servers/sql/index.js'
import { standaloneClient } from '../setup/clients.js'
import type { Stock } from './sql/stock.js'
import { stockOf } from './sql/stock-of.js'
import { redisSession } from './stand.js'

/** Where one is, in a form that can be told to another process. */
export type Place =
  | { readonly kind: 'guarded value'; readonly server: { host: string; port: number }; readonly key: string }
  | { readonly kind: ProductName; readonly address: SqlAddress; readonly item: string }
  | { readonly kind: 'memory'; readonly port: number }

export interface Resource {
  write(text: string, fence: Fence): Promise<void>
  end(): Promise<void>
}

export function resourceAt(place: Place): Resource {
  switch (place.kind) {
    case 'guarded value':
      return guardedValue(place.server, place.key)
    case 'memory':
      return remote(place.port)
    default:
      return row(stockOf(place.kind, place.address), place.item)
  }
}

function guardedValue(server: { host: string; port: number }, key: string): Resource {
  const session = redisSession(standaloneClient(server))
  const value = new GuardedValue(key, session.guarded, (ask) => ask())
  return { write: (text, fence) => value.set(text, fence), end: () => session.close() }
}

/** What is written is counted only, so the row has its length. */
function row(stock: Stock, item: string): Resource {
  return {
    write: (text, fence) => stock.put(item, text.length, fence ?? 0n),
    end: () => stock.end(),
  }
}

/** A server that keeps a text in its memory behind a `FenceGuard`: a line `fence text`, answered by a line `ok` or the token seen. */
function remote(port: number): Resource {
  const socket = createConnection({ host: '127.0.0.1', port })
  const answers = createInterface({ input: socket })[Symbol.asyncIterator]()
  return {
    write: async (text, fence = 0n) => {
      socket.write(`${fence} ${text}\n`)
      const { value } = await answers.next()
      if (value !== 'ok') throw new StaleFenceError('text', fence, BigInt(value))
    },
    end: async () => {
      socket.destroy()
    },
  }
}
