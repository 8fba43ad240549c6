/** In which order calls of one client come into a line. */
import { expect, test } from 'vitest'
import { Entrance } from '../../src/stores/rows/entrance.js'

/** A statement that is under way until it is answered. */
class Statement {
  answer: (stands: string | undefined) => void = () => undefined
  fail: (error: Error) => void = () => undefined
  readonly answered = new Promise<string | undefined>((resolve, reject) => {
    this.answer = resolve
    this.fail = reject
  })
}

/** Calls that note in which order they change the row, and their statements. */
function calls(): {
  readonly changed: string[]
  readonly statements: Statement[]
  enter(call: string, name?: string): Promise<string>
} {
  const entrance = new Entrance<string>()
  const changed: string[] = []
  const statements: Statement[] = []
  const alone = (): Promise<string | undefined> => {
    const statement = new Statement()
    statements.push(statement)
    return statement.answered
  }
  const change = async (call: string): Promise<string> => {
    changed.push(call)
    return `${call} by a change`
  }
  return { changed, statements, enter: (call, name = 'a') => entrance.enter(name, alone, () => change(call)) }
}

test('a call that comes alone enters by its own statement; the next one too, when it is through', async () => {
  const { statements, changed, enter } = calls()
  for (const index of [0, 1]) {
    const entering = enter('one')
    statements[index]?.answer('stands')
    expect(await entering).toBe('stands')
  }
  expect(changed).toEqual([])
})

test.each([
  ['adds its place', (statement: Statement) => statement.answer('stands'), ['second', 'third']],
  ['does nothing', (statement: Statement) => statement.answer(undefined), ['first', 'second', 'third']],
  ['fails', (statement: Statement) => statement.fail(new Error('no answer')), ['second', 'third']],
])('those that come meanwhile follow in their order when the statement %s', async (_, end, order) => {
  const { statements, changed, enter } = calls()
  const entering = [enter('first'), enter('second'), enter('third')]
  expect(changed).toEqual([])
  expect(statements).toHaveLength(1)
  for (const statement of statements) end(statement)
  await Promise.allSettled(entering)
  expect(changed).toEqual(order)
})

test('calls for another lock wait for nobody', async () => {
  const { statements, enter } = calls()
  const first = enter('first')
  const other = enter('other', 'b')
  statements[1]?.answer('stands')
  expect(await other).toBe('stands')
  statements[0]?.answer('stands')
  expect(await first).toBe('stands')
})
