import type { Reason } from '#sql/live/restream-queries.ts'

const messages: Record<Reason, string> = {
  address_refused:
    'The address or port of the target is not allowed. Use a public address and port 80, 443, 1935 or 1936.',
  unresolved: 'The host name of the target does not resolve to a public address. Check the server URL.',
  connection_failed: 'The target could not be reached, or the connection was lost.',
  tls_failed: 'The certificate of the target could not be verified, or the target does not use TLS on this port.',
  timed_out: 'The target did not respond in time.',
  refused: 'The target rejected the stream. Check the stream key and the application in the server URL.',
  ended: 'The target ended the stream. Someone may have stopped it there, or another encoder is using the same key.',
  too_slow: 'The connection to the target is too slow for the bitrate of the broadcast.',
  protocol: 'The target does not respond with valid RTMP. Check the server URL.',
  key_unreadable: 'The stream key was encrypted with a different `SIGNING_SECRET`. Set the key again.',
  publisher_away: 'The encoder is disconnected. The target receives the broadcast when the encoder returns.',
}

export const restreamMessage = (reason: Reason): string => messages[reason]
