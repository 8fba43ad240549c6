import { closeSync, fstatSync } from 'node:fs'
import { isatty } from 'node:tty'

/**
 * Closes standard streams whose terminal has gone. Call it last: at exit Node restores the terminals' settings, and aborts, without the
 * exit code, if it cannot restore one.
 */
export function letGoOfGoneTerminals(): void {
  for (const descriptor of [0, 1, 2]) {
    try {
      // A stream that was never a terminal, such as /dev/null, is not missing.
      if (fstatSync(descriptor).isCharacterDevice() && !isatty(descriptor)) closeSync(descriptor)
    } catch {
      // It is closed already.
    }
  }
}
