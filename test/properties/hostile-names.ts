import fc from 'fast-check'

/** Names nobody would choose and everybody will meet. */
export const hostileNames: fc.Arbitrary<string> = fc
  .oneof(
    fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }),
    fc.string({ unit: fc.constantFrom(...'{}a:%*[]\\?'), minLength: 1, maxLength: 12 }),
    fc.string({ unit: fc.constantFrom(...'\0\r\n \t$*\u00ff\ufeff'), minLength: 1, maxLength: 12 }),
    fc.string({ unit: 'grapheme-composite', minLength: 1, maxLength: 8 }).map((part) => part.repeat(2_000)),
    fc.constantFrom(
      ...['__proto__', 'constructor', 'toString', 'redisson_lock__channel:{x}'],
      ...['{}', '{}{x}', '{x', 'x}', '*'],
    ),
  )
  .filter((name) => name.length > 0 && name.isWellFormed())
