interface Advice {
  means: string
  todo: string
}

const reasons: Readonly<Record<string, Advice>> = {
  hung_up: { means: 'A person hung up.', todo: 'Nothing to do.' },
  max_duration: {
    means: 'The call reached its maximum duration.',
    todo: 'For longer calls, set `max_duration_seconds`.',
  },
  busy: { means: 'The phone was busy.', todo: 'Call again later.' },
  declined: { means: 'The person declined the call.', todo: 'Nothing to do, or call again later.' },
  no_answer: { means: 'The phone rang, but nobody answered.', todo: 'Call again later, or set a longer ring time.' },
  unknown_number: { means: 'The number is not in use.', todo: 'Check the number.' },
  trunk_unreachable: {
    means: 'The telephone network did not respond.',
    todo: 'Call again. If it happens often, ask your operator to check the SIP trunk.',
  },
  trunk_refused: {
    means: 'The telephone network rejected the credentials of the trunk.',
    todo: 'Ask your operator to check the SIP trunk.',
  },
  trunk_error: {
    means: 'The telephone network rejected the call.',
    todo: 'Check the number. See the SIP status of the leg below.',
  },
  media_refused: {
    means: 'The phones have no common audio format.',
    todo: 'Ask your operator to check the codecs of the trunk.',
  },
  no_ack: { means: 'The phone did not confirm the call.', todo: 'Call again. If it happens often, ask your operator.' },
  no_trunk: { means: 'No SIP trunk is set up.', todo: 'Ask your operator to set up a SIP trunk.' },
  worker_lost: { means: 'The worker of the call stopped.', todo: 'Call again.' },
  not_begun: {
    means: 'No worker placed the call in time.',
    todo: 'Call again. If it happens often, ask your operator.',
  },
  fault: { means: 'Millrace failed.', todo: 'Call again. If it happens often, tell your operator the ID of the call.' },
}

/** Returns what the end of a call means, and what to do. Undefined if the reason is unknown. */
export function explainEnd(reason: string): string | undefined {
  const found = reasons[reason]
  return found && `${found.means} ${found.todo}`
}
