import { closeSync, fstatSync } from 'node:fs'
import { isatty } from 'node:tty'

/**
 * Closes standard streams whose terminal has gone. To be called last of all: at its end Node sets terminals back to what it has
 * found at the start, and ends the process by an abort, and not with its exit code, where one cannot be set any more.
 */
export function letGoOfGoneTerminals(): void {
  for (const descriptor of [0, 1, 2]) {
    try {
      // What was never a terminal, such as /dev/null, is not missed either.
      if (fstatSync(descriptor).isCharacterDevice() && !isatty(descriptor)) closeSync(descriptor)
    } catch {
      // It is closed already.
    }
  }
}
