/** A message without those words of the command line that may be an address, since an address may contain a password. */
export function withoutAddresses(message: string, words: readonly string[]): string {
  const hidden = words.flatMap((word) => {
    const [value] = /(?<=^--[a-z-]+=).+$/is.exec(word) ?? []
    return value ?? (/:\/\/|@/.test(word) ? word : [])
  })
  return hidden.reduce((text, word) => text.replaceAll(word, '…'), message)
}
