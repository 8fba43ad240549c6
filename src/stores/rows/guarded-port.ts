import type { Guarded, GuardedPort } from '../../port/kind-ports.js'
import { aText, jsonIn, partsOf } from './parts.js'
import type { RowClient } from './row-client.js'
import { NO_ROW, type Shape } from './shape.js'

/** A guarded value as its row keeps it, with the greatest token seen. */
interface GuardedBody {
  value: string | undefined
  fence: bigint | undefined
}

const aRest = partsOf({}, { value: aText })

const guardedValues: Shape<GuardedBody> = {
  keyspace: 'value',
  blank: () => ({ value: undefined, fence: undefined }),
  pack: ({ value, fence }) => ({
    ...NO_ROW,
    fence,
    // The store may clean away an empty row, but late writers must still find the fence.
    rest: fence === undefined ? undefined : JSON.stringify({ value }),
  }),
  unpack: ({ fence, rest }) => {
    const { value } = rest === undefined ? {} : jsonIn(rest, 'rest', aRest)
    return { value, fence }
  },
}

/** The guarded values of a store. */
export class RowGuardedPort implements GuardedPort {
  constructor(private readonly client: RowClient) {}

  async readGuarded(key: string): Promise<Guarded | undefined> {
    return await this.client.look(guardedValues, key, ({ body: { value, fence } }) =>
      value === undefined || fence === undefined ? undefined : { value, fence },
    )
  }

  async writeGuarded(key: string, fence: bigint, value: string | undefined): Promise<bigint | undefined> {
    return await this.client.change(guardedValues, key, ({ body }) => {
      if (body.fence !== undefined && fence < body.fence) return body.fence
      body.fence = fence
      body.value = value
      return undefined
    })
  }
}
