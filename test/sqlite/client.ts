/** Clients of a database file, without the locks above them: tests of `sqliteRows` alone. */

import { randomUUID } from 'node:crypto'
import type { Draft, Message, RowSession } from '../../src/stores/rows/rows.js'
import { type Keyspace, NO_ROW, type Packed, type Shape } from '../../src/stores/rows/shape.js'
import type { Driver } from '../../src/stores/sqlite/driver.js'
import type { Machine } from '../../src/stores/sqlite/machine.js'
import { checkSqliteOptions, type SqliteOptions } from '../../src/stores/sqlite/options.js'
import { sqliteRows } from '../../src/stores/sqlite/store.js'
import { clientSettings } from '../rows/client-settings.js'

/** A row as it is written down, to be changed at will. */
export interface TestBody {
  packed: Packed
}

export function shapeOf(keyspace: Keyspace): Shape<TestBody> {
  return {
    keyspace,
    blank: () => ({ packed: NO_ROW }),
    pack: ({ packed }) => packed,
    unpack: (packed) => ({ packed }),
  }
}

const locks = shapeOf('lock')

export interface ClientParts {
  readonly driver?: Driver | undefined
  readonly machine?: Machine | undefined
  readonly commandTimeoutMs?: number | undefined
}

export class TestClient {
  readonly id = randomUUID()
  readonly session: RowSession
  readonly heard: Message[] = []
  readonly errors: unknown[]
  missed = 0
  onMessage: ((message: Message) => void) | undefined

  constructor(
    options: string | SqliteOptions,
    { driver, machine, commandTimeoutMs = 10_000 }: ClientParts = {},
  ) {
    const rows = sqliteRows(checkSqliteOptions(options), {
      ...(driver && { driver }),
      ...(machine && { machine }),
    })
    const { settings, errors } = clientSettings({ clientId: this.id, commandTimeoutMs })
    this.errors = errors
    this.session = rows.openRows(settings, {
      message: (message) => {
        this.heard.push(message)
        this.onMessage?.(message)
      },
      missed: () => {
        this.missed += 1
      },
    })
  }

  change<Result>(name: string, change: (draft: Draft<TestBody>) => Result, shape = locks): Promise<Result> {
    return this.session.change(shape, name, change)
  }

  read(name: string, shape = locks): Promise<Packed> {
    return this.change(name, ({ body }) => body.packed, shape)
  }

  write(name: string, packed: Partial<Packed>, shape = locks): Promise<void> {
    return this.change(
      name,
      ({ body }) => {
        body.packed = { ...body.packed, ...packed }
      },
      shape,
    )
  }

  /** Counts in the row's token, as a tenure with a token does. */
  async count(name: string): Promise<void> {
    await this.change(name, ({ body: { packed }, body }) => {
      body.packed = { ...packed, fence: (packed.fence ?? 0n) + 1n }
    })
  }

  ended(client: string): Promise<boolean> {
    return this.change('any', (draft) => draft.ended(client))
  }

  reaches(client: string): Promise<boolean> {
    return this.change('any', (draft) => draft.reaches(client))
  }

  tell(client: string, name: string, text: string): Promise<void> {
    return this.change(name, (draft) => draft.tell(client, { keyspace: 'lock', name, text }))
  }

  async listen(): Promise<void> {
    await this.session.inbox?.opened()
  }

  async names(pattern = '*', keyspace: Keyspace = 'lock'): Promise<string[]> {
    const names: string[] = []
    for await (const name of this.session.names(keyspace, pattern)) names.push(name)
    return names
  }
}
