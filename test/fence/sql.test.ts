/** The condition of docs/fencing.md, on real databases. */
import { readFile } from 'node:fs/promises'
import { beforeAll, describe, expect, test } from 'vitest'
import { StaleFenceError } from '../../src/base/errors/stale-fence-error.js'
import { rejectionOf } from '../../src/conformance/outcome.js'
import { onDatabases } from '../setup/databases.js'
import { duringAll } from '../setup/during.js'
import { eventually } from '../setup/eventually.js'
import { stockOf } from './stock.js'

await onDatabases(['PostgreSQL', 'MariaDB'], (database, product) => {
  describe('fenced rows', () => {
    const stock = duringAll(() => stockOf(product, database().address))
    beforeAll(() => stock.create())

    test('the page shows these statements', async () => {
      const page = await readFile(new URL('../../docs/fencing.md', import.meta.url), 'utf8')
      for (const statement of stock.statements) expect(spaced(page)).toContain(spaced(statement))
    })

    test.each(['put', 'update'] as const)('%s takes equal and greater tokens', async (write) => {
      const item = `taken by ${write}`
      await stock.put(item, 1, 3n)
      await stock[write](item, 2, 3n)
      // Nothing changes, and it is no refusal.
      await stock[write](item, 2, 3n)
      await stock[write](item, 3, 9_007_199_254_740_993n)
      expect(await stock.read(item)).toEqual({ amount: 3, fence: 9_007_199_254_740_993n })
    })

    test.each(['put', 'update'] as const)('%s refuses a late writer with a typed error', async (write) => {
      const item = `refused by ${write}`
      await stock.put(item, 10, 9_007_199_254_740_993n)
      for (const late of [9_007_199_254_740_992n, 1n]) {
        const refusal = await rejectionOf(stock[write](item, 99, late))
        expect(refusal).toBeInstanceOf(StaleFenceError)
        expect(refusal).toMatchObject({ offered: late, seen: 9_007_199_254_740_993n })
      }
      expect(await stock.read(item)).toEqual({ amount: 10, fence: 9_007_199_254_740_993n })
    })

    test('an update of a row that is not there is no stale token', () =>
      expect(stock.update('nowhere', 1, 1n)).rejects.toThrow('there is no item nowhere'))

    test.each(['put', 'update'] as const)(
      '%s that waits for the row of a newer writer is refused when that commits',
      async (write) => {
        const item = `overtaken in ${write}`
        await stock.put(item, 1, 1n)
        const commit = await stock.updateOpen(item, 2, 2n)
        const late = stock[write](item, 99, 1n).catch((error: unknown) => error)
        await eventually(async () => (await stock.blocked()) > 0)
        await commit()
        expect(await late).toMatchObject({ code: 'STALE_FENCE', offered: 1n, seen: 2n })
        expect(await stock.read(item)).toEqual({ amount: 2, fence: 2n })
      },
    )
  })
})

function spaced(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
