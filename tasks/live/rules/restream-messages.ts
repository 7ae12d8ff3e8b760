import type { Reason } from '#sql/live/restreams.ts'

const messages: Record<Reason, string> = {
  address_refused: 'Its address or port may not be reached: only public addresses on the usual ports are.',
  unresolved: 'Its name does not resolve to a public address: check the address.',
  connection_failed: 'It could not be reached, or the connection broke off.',
  tls_failed: 'Its certificate could not be verified, or it does not speak TLS on this port.',
  timed_out: 'It did not answer in time.',
  refused: 'It refused the stream: check the stream key and the application in the address.',
  ended: 'It ended the stream: it may have been stopped there, or another encoder uses the same key.',
  too_slow: 'It took less than the broadcast has: the way there is too slow.',
  protocol: 'What answers there does not speak RTMP as it should: check the address.',
  key_unreadable: 'Its stream key was sealed with another SIGNING_SECRET: set the key again.',
  publisher_away: 'The encoder is away: the target gets what follows once it is back.',
}

/** What a reason means, in a sentence for whoever set a channel's target up. */
export const restreamMessageOf = (reason: Reason): string => messages[reason]
