const codes = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EADDRNOTAVAIL',
  'EMFILE',
  'EPROTO',
  'UND_ERR_CONNECT_TIMEOUT',
])

/** True if no connection was established, so nothing was sent. */
export function isConnectionFailure(error: unknown): boolean {
  const { code = '', message = '' } = (error ?? {}) as NodeJS.ErrnoException
  return codes.has(code) || /CERT|TLS|VERIFY/.test(code) || message.includes('before secure TLS connection')
}
