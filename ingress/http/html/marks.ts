import { type Html, html } from './html.ts'

const shapes: Record<string, string> = {
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
  lost: '<path d="M6 1.5v5M6 9.500v.5"/>',
  draining: '<path d="M6 1.5v8m-3.5-3 3.5 3.5 3.5-3.5"/>',
  alive: '<circle class="full" cx="6" cy="6" r="3.5"/>',
  stopped: '<path class="full" d="M3 3h6v6H3z"/>',
}

const shapeOf: Record<string, string> = { later: 'scheduled', handed_back: 'retry', held: 'paused', fenced: 'lost' }

const words: Record<string, string> = { handed_back: 'returned', retry: 'failed, will retry' }

/** Displays a state as text with an icon. Each icon is different, so colour is never the only sign. */
export function mark(state: string): Html {
  const shape = shapeOf[state] ?? state
  return html`<span class="mark is-${shape}">${icon(shape)}${words[state] ?? state}</span>`
}

const icons = new Map(
  Object.entries(shapes).map(([name, shape]) => {
    const strings = Object.assign([`<svg viewBox="0 0 12 12" aria-hidden="true">${shape}</svg>`], { raw: [] })
    return [name, html(strings)]
  }),
)

const icon = (name: string): Html | undefined => icons.get(name)

export function renderProgressBar(fraction: number, of: string): Html {
  const percent = Math.floor(fraction * 100)
  return html`<span class="progress"><progress max="100" value="${percent}" aria-label="Progress of ${of}"></progress> ${percent} %</span>`
}
