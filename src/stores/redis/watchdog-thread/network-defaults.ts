import process from 'node:process'

/** Settings of a program for all its connections, which Node keeps separately for each thread. */
export type NetworkDefaults = ReturnType<typeof networkDefaults>

export function networkDefaults() {
  const { dns, net, tls } = network()
  return {
    resultOrder: dns.getDefaultResultOrder(),
    autoSelectFamily: net.getDefaultAutoSelectFamily(),
    autoSelectFamilyAttemptTimeoutMs: net.getDefaultAutoSelectFamilyAttemptTimeout(),
    minTlsVersion: tls.DEFAULT_MIN_VERSION,
    maxTlsVersion: tls.DEFAULT_MAX_VERSION,
    ciphers: tls.DEFAULT_CIPHERS,
  }
}

export function applyNetworkDefaults(defaults: NetworkDefaults): void {
  const { dns, net, tls } = network()
  dns.setDefaultResultOrder(defaults.resultOrder)
  net.setDefaultAutoSelectFamily(defaults.autoSelectFamily)
  net.setDefaultAutoSelectFamilyAttemptTimeout(defaults.autoSelectFamilyAttemptTimeoutMs)
  tls.DEFAULT_MIN_VERSION = defaults.minTlsVersion
  tls.DEFAULT_MAX_VERSION = defaults.maxTlsVersion
  tls.DEFAULT_CIPHERS = defaults.ciphers
}

/** Loaded with the first watchdog thread: this was a quarter of the cost of importing the library. */
function network() {
  return {
    dns: process.getBuiltinModule('node:dns'),
    net: process.getBuiltinModule('node:net'),
    tls: process.getBuiltinModule('node:tls'),
  }
}
