import dns from 'node:dns'
import net from 'node:net'
import tls from 'node:tls'

/** Settings of a program for all its connections, which Node keeps separately for each thread. */
export interface NetworkDefaults {
  readonly resultOrder: ReturnType<typeof dns.getDefaultResultOrder>
  readonly autoSelectFamily: boolean
  readonly autoSelectFamilyAttemptTimeoutMs: number
  readonly minTlsVersion: tls.SecureVersion
  readonly maxTlsVersion: tls.SecureVersion
  readonly ciphers: string
}

export function networkDefaults(): NetworkDefaults {
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
  dns.setDefaultResultOrder(defaults.resultOrder)
  net.setDefaultAutoSelectFamily(defaults.autoSelectFamily)
  net.setDefaultAutoSelectFamilyAttemptTimeout(defaults.autoSelectFamilyAttemptTimeoutMs)
  tls.DEFAULT_MIN_VERSION = defaults.minTlsVersion
  tls.DEFAULT_MAX_VERSION = defaults.maxTlsVersion
  tls.DEFAULT_CIPHERS = defaults.ciphers
}
