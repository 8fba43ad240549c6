/** How the program ends. 64 to 78 mean what sysexits.h says, 126 and 127 what env(1) says. */
export const exitCodes = {
  ok: 0,
  /** `unlock`: the question was answered with no. */
  declined: 1,
  /** The command line, or the server's address, makes no sense. */
  usage: 64,
  /** The key holds something that is no lock. */
  notALock: 65,
  /** Redis cannot be reached, or cannot serve now. */
  unavailable: 69,
  /** Something that should not happen. */
  internal: 70,
  /** The results could not be written. */
  notWritten: 74,
  /** The lock is busy, and was for as long as the caller wanted to wait. */
  busy: 75,
  /** The lock was lost while the command ran. */
  lost: 76,
  /** The server refuses the user, the password or the command. */
  noPermission: 77,
  notExecutable: 126,
  notFound: 127,
} as const

/** What a shell reports for a process that a signal ended is this plus the signal's number. */
export const SIGNAL_BASE = 128

/** What `ls | head` makes of a writer whose reader has left. */
export const BROKEN_PIPE = SIGNAL_BASE + 13
