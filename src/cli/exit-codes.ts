/** The program's exit codes: 64 to 78 as in sysexits.h, 126 and 127 as in env(1). */
export const exitCodes = {
  ok: 0,
  /** `unlock`: the user answered no. */
  declined: 1,
  /** `deadlocks`: there is one. */
  deadlock: 2,
  /** The command line, or the server's address, is invalid. */
  usage: 64,
  /** The key holds something other than a lock. */
  notALock: 65,
  /** Redis is out of reach, or cannot serve now. */
  unavailable: 69,
  /** An internal error. */
  internal: 70,
  /** The results could not be written. */
  notWritten: 74,
  /** The lock was busy for as long as the caller wanted to wait. */
  busy: 75,
  /** The lock was lost while the command ran. */
  lost: 76,
  /** The server refuses the user, the password or the command. */
  noPermission: 77,
  /** What this needs is not installed: a client library, or SQLite. */
  notInstalled: 78,
  notExecutable: 126,
  notFound: 127,
} as const

/** A shell reports this plus the signal's number for a process that a signal ended. */
export const SIGNAL_BASE = 128

/** The exit code of a writer whose reader has closed the pipe, as in `ls | head`. */
export const BROKEN_PIPE = SIGNAL_BASE + 13
