/** JSON in ASCII alone, so that the character set of a connection does not matter. */
export function asciiJson(json: string): string {
  return json.replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
