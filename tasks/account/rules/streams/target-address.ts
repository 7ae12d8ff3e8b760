import { config } from '#lib/config.ts'
import { findOutboundFault, withLoopback } from '#lib/http.ts'
import type { AddressRules } from '#lib/network/address-guard.ts'

/** Ports of streams over HTTP: HTTPS, OTLP, Splunk, and stores such as MinIO. */
export const httpPorts: readonly number[] = [80, 443, 4318, 8088, 9000]

/** Ports of syslog over TLS below 1024. All ports from 1024 on are also allowed. */
const syslogPorts: readonly number[] = [443, 514, 601]

export const isSyslogPort = (port: number): boolean => port >= 1_024 || syslogPorts.includes(port)

/** Rules for the address of a syslog server. */
export const syslogRules = (port: number, isLocal: boolean): AddressRules => ({
  allowed: isLocal ? withLoopback.allowed : config.OUTBOUND_ALLOWED,
  ports: [port],
})

/** Returns the issue of a URL, without a DNS lookup. */
export function findStreamUrlFault(text: string, isLocal: boolean): string | undefined {
  const url = URL.parse(text)
  if (!url) return 'must be a URL that starts with https://'
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && (config.WEBHOOK_HTTP || isLocal)))
    return 'must start with https://. An operator can allow http:// with WEBHOOK_HTTP.'
  if (url.username || url.password) return 'must not contain a user name or a password'
  if (url.hash) return 'must not contain a fragment (#…)'
  return findOutboundFault(url, isLocal ? withLoopback : { ports: httpPorts })
}

/** Returns the issue of the host of a syslog server, without a DNS lookup. */
export function findSyslogFault(host: string, port: number, isLocal: boolean): string | undefined {
  const url = URL.parse(`http://${host.includes(':') ? `[${host}]` : host}:${port}`)
  if (url?.pathname !== '/' || url.username !== '') return 'must be a host name or an IP address'
  return findOutboundFault(url, syslogRules(port, isLocal))
}
