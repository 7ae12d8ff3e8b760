import type { Walked } from '../../support/extremes.ts'

const [computes, acts, inPages, engine] = [
  'Computes its reply and stores nothing.',
  'Acts on what was made before. The form selects it.',
  'Called by web pages, with what they have.',
  'Needs a file or an engine.',
]

/** Operations that are not walked, with the reason. */
export const notWalked: readonly [RegExp, string][] = [
  [
    /\.(rotate\w*|replaySince|replayMany|refresh|retry|revoke\w*|read|readAll|mark|subscribe|unsubscribe|close|giveBack|end)$/,
    acts,
  ],
  [
    /^(notify\.(marks\.create|topic-people\.remove)|files\.(rescans\.request|folders\.move)|push\.installations\.claim|account\.requests\.open)$/,
    acts,
  ],
  [/\.(preview|verify|downloadUrl|sign|batch|check|createToken|issue)$/, computes],
  [
    /^(email\.(verify|preferences-tokens)|account\.key-checks|trust\.check-urls?|push\.user-tokens|hooks\.portal-tokens|files\.signed-urls|files\.images)\./,
    computes,
  ],
  [
    /^(guard\.(assess|challenges|answers)|push\.(browser|receipts)|video\.beacons|bots\.(visitors|visitor-contact|visitor-rating)|email\.preferences)\./,
    inPages,
  ],
  [/^live\.chat-(viewer|clip)\./, inPages],
  [/^account\.devices\./, 'A member approves the request, and the key shows the result.'],
  [/^account\.events\.trigger$/, 'Sends a sample, which no list shows.'],
  [/^hooks\.replays\./, acts],
  [/^moving\.imports\./, 'An organisation has one import at a time. `test/moving` sends every field.'],
  [/^(bots\.(ratings|assignments|conversation-labels|question-groups)|erp\.watches)\./, acts],
  [/^(ai\.vector-stores\.search|erp\.matches\.match)$/, computes],
  [/^ai\.vector-store-(files|batches)\./, engine],
  [/^files\.objects\.create$/, 'Needs storage. Its other fields are those of `files.uploads.start`.'],
  [/^automation\.rules\.test$/, computes],
  [/^verify\.(codes\.resend|erasures\.create)$/, acts],
  [/^notify\.event-batches\./, 'Stores each event as `notify.events.create` does.'],
  [/^jobs\.batches\./, 'Stores each job as `jobs.jobs.create` does.'],
  [/^jobs\.replays\./, acts],
  [/^jobs\.(flows\.(cancel|replay)|schedules\.(pause|resume|trigger))$/, acts],
  [
    /^(account\.members|wiki\.(reviews\.create|article-versions|transfer|claims\.addReference)|identity\.|files\.uploads\.complete|files\.versions|files\.multipart\.startVersion|rooms\.(participants|broadcasts)|email\.reconfirmations|video\.mp4s|bots\.(handovers|questions)|video\.(mp4s|clips|previews|sounds)|live\.clips)/,
    engine,
  ],
]

/** Chat messages go through a worker only to settle. */
const settled = /^whatsapp\.messages\./

export const isWalked = ({ id, body, method, waits }: Walked): boolean =>
  body !== undefined &&
  method !== 'GET' &&
  (!waits || settled.test(id)) &&
  !notWalked.some(([pattern]) => pattern.test(id))
