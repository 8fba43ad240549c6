/** Resets options that serve the application's own commands. RESP2 cannot do some of them. */
export const PLAIN = {
  // Its parts are in the other options.
  url: undefined,
  // Else version 6 has each command wait for five seconds at most, with a timer each.
  commandOptions: { timeout: undefined },
  commandsQueueMaxLength: undefined,
  disableOfflineQueue: false,
  pingInterval: undefined,
  readonly: false,
  clientSideCache: undefined,
  emitInvalidate: false,
  maintNotifications: 'disabled',
}
