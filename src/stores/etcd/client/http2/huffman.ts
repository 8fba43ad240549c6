/**
 * HTTP/2's code for texts in headers (RFC 7541, appendix B). It is canonical: codes of one length count upwards in the order of their bytes,
 * so that the lengths alone tell them. One digit in base 36 for each byte; the code of the end is 30 ones.
 */
const LENGTHS =
  'dnsssssssoussussssssssusssssssss6aacd68baa8b8666555666666678f6ca' +
  'd67777777777777777777777878djde6f56565666577666567655677777fbeds' +
  'kmkkmmmnmnnnnnonoomnonnnnlmnmnnomlkmmnnlnmmolmnnllmlnmnnkmmmnmmn' +
  'qqkjmnmpqqqrrqopjlqrrqrollqqsrrrkoklmllnmmppooqnqrqqrrrrrsrrrrrq'
const SHORTEST = 5
const LONGEST = 30

/** The bytes whose codes have one length, the first of which is the number `from`. */
interface Codes {
  readonly from: number
  readonly bytes: readonly number[]
}

const byLength: readonly Codes[] = codesOfAllLengths()

function codesOfAllLengths(): Codes[] {
  let next = 0
  return Array.from({ length: LONGEST + 1 }, (_, length) => {
    const bytes = [...LENGTHS].flatMap((digit, byte) => (Number.parseInt(digit, 36) === length ? [byte] : []))
    const from = next * 2
    next = from + bytes.length
    return { from, bytes }
  })
}

/** @throws RangeError for an unknown code. */
export function fromHuffman(coded: Buffer): string {
  const text: number[] = []
  let code = 0
  let length = 0
  for (const octet of coded) {
    for (let bit = 7; bit >= 0; bit -= 1) {
      code = code * 2 + ((octet >> bit) & 1)
      length += 1
      if (length < SHORTEST) continue
      const codes = byLength[length]
      if (!codes) throw new RangeError('no text in the code of HTTP/2')
      const byte = codes.bytes[code - codes.from]
      if (byte === undefined) continue
      text.push(byte)
      code = 0
      length = 0
    }
  }
  // The rest of the last octet has to be the beginning of the end code.
  if (length > 7 || code !== 2 ** length - 1) throw new RangeError('a text in the code of HTTP/2 is cut off')
  return Buffer.from(text).toString('latin1')
}
