/** Resets options that serve the application's own commands. RESP2 cannot do some of them. */
export const PLAIN = {
  // Its parts are in the other options.
  url: undefined,
  // Otherwise version 6 limits each command to five seconds, with a timer for each.
  commandOptions: { timeout: undefined },
  commandsQueueMaxLength: undefined,
  disableOfflineQueue: false,
  pingInterval: undefined,
  readonly: false,
  clientSideCache: undefined,
  emitInvalidate: false,
  maintNotifications: 'disabled',
}
