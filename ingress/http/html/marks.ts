import { type Content, type Html, html } from './html.ts'

/** Meaning of a state. Each tone has its own colour. */
type Tone = 'good' | 'warn' | 'bad' | 'progress' | 'neutral'

const shapes = {
  waiting: '<circle cx="6" cy="6" r="4"/>',
  scheduled: '<circle cx="6" cy="6" r="4.5"/><path d="M6 3.2V6l2 1.5"/>',
  paused: '<path d="M4 2v8M8 2v8"/>',
  running: '<path class="full" d="M3.5 2v8l6-4z"/>',
  done: '<path d="m2 6.5 3 3 5-7"/>',
  failed: '<path d="m2.5 2.5 7 7m0-7-7 7"/>',
  rejected: '<path d="m6 1.5 4.5 4.5L6 10.5 1.5 6z"/><path d="M4 6h4"/>',
  cancelled: '<circle cx="6" cy="6" r="4.5"/><path d="m3 9 6-6"/>',
  discarded: '<path d="M2 3.5h8M4.5 3V1.5h3V3M3 3.500l.7 7h4.6l.7-7"/>',
  retry: '<path d="M9.8 5A4 4 0 1 0 9.5 8M10 2v3H7"/>',
  lost: '<path d="M6 1.500v5M6 9.500v.5"/>',
  draining: '<path d="M6 1.5v8m-3.5-3 3.5 3.5 3.5-3.5"/>',
  alive: '<circle class="full" cx="6" cy="6" r="3.5"/>',
  stopped: '<path class="full" d="M3 3h6v6H3z"/>',
  warned: '<path d="M6 1.500 11 10.500H1zM6 5v2.500M6 9v.2"/>',
} as const

type Shape = keyof typeof shapes

/** States by tone and icon. Every state of the product has one colour and one icon on all pages. */
const vocabulary: readonly (readonly [Tone, Shape, string])[] = [
  [
    'good',
    'done',
    'accepted allow approved clean completed confirmed connected copied created delivered displayed done finished forwarded found good granted issued ok opened pass passed played published read ready recorded sent served solved stored subscribed succeeded verified',
  ],
  ['good', 'alive', 'active alive enabled live on open reachable standby_ready up'],
  [
    'progress',
    'running',
    'arrived awaiting_upload connecting copying encoding fetching joined making ordering packaging_source pending_scan probing processing publishing recording remuxing resuming running scanning sending starting switching unresolved uploading',
  ],
  ['progress', 'waiting', 'asked assigned incoming issuing pending queued received requested submitted waiting'],
  ['progress', 'scheduled', 'later scheduled'],
  ['warn', 'retry', 'deferred failing handed_back resting retry softfail temperror'],
  ['warn', 'paused', 'held paused quarantine'],
  ['warn', 'draining', 'aborting draining'],
  ['warn', 'warned', 'different expiring limited loop_stopped suspicious unconfirmed unscannable unverified warned'],
  ['bad', 'failed', 'bounced complained error fail failed infected invalidated malicious permerror undelivered'],
  ['bad', 'rejected', 'deny denied listed refused rejected suppressed'],
  ['bad', 'lost', 'away credential disabled fenced invalid_token lost missing suspended unavailable unreachable'],
  ['neutral', 'cancelled', 'aborted cancelled left removed revoked unsubscribed withdrawn'],
  ['neutral', 'scheduled', 'expired'],
  ['neutral', 'stopped', 'archived closed ended off over stopped'],
  ['neutral', 'discarded', 'deleted discarded gone'],
  ['neutral', 'waiting', 'draft filtered idle neutral no_devices none not_checked skipped test unknown unread unused'],
]

const known = new Map(
  vocabulary.flatMap(([tone, shape, states]) => states.split(' ').map((state) => [state, { tone, shape }] as const)),
)

const words: Record<string, string> = { handed_back: 'returned', retry: 'failed, will retry' }

const icons = new Map(
  Object.entries(shapes).map(([name, shape]) => {
    const strings = Object.assign([`<svg viewBox="0 0 12 12" aria-hidden="true">${shape}</svg>`], { raw: [] })
    return [name, html(strings)]
  }),
)

/** True if the vocabulary has the state. */
export const isState = (state: string): boolean => known.has(state)

/**
 * Renders a state of any area as a badge: its words, a colour for its meaning, and an icon, so that colour is never the
 * only sign. `shown` replaces the words. `as` gives the badge the look of another state.
 */
export function statusBadge(state: string, { shown, as = state }: { shown?: Content; as?: string } = {}): Html {
  const { tone, shape } = known.get(as) ?? { tone: 'neutral', shape: 'waiting' }
  const text = shown ?? words[state] ?? state.replaceAll('_', ' ')
  return html`<span class="badge ${tone} is-${shape}">${icons.get(shape)}${text}</span>`
}

/** Renders a state of a job, an attempt or a worker. */
export const mark = (state: string): Html => statusBadge(state)

export function renderProgressBar(fraction: number, of: string): Html {
  const percent = Math.floor(fraction * 100)
  return html`<span class="progress"><progress max="100" value="${percent}" aria-label="Progress of ${of}"></progress> ${percent} %</span>`
}
