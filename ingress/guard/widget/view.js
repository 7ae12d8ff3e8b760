import { style } from './style.js'

const svg = 'http://www.w3.org/2000/svg'
const paths = {
  frame: 'M12 2a10 10 0 1 1 0 20a10 10 0 1 1 0-20',
  arc: 'M12 2a10 10 0 0 1 10 10',
  tick: 'm7 12.5 3.500 3.500 6.500-7.500',
  cross: 'm8.500 8.500 7 7m0-7-7 7',
  clock: 'M12 7v5l3 2',
}

function make(name, attributes = {}, ...children) {
  const element = name === 'svg' || name === 'path' ? document.createElementNS(svg, name) : document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value)
  element.append(...children)
  return element
}

/** Creates the view of the widget. It is built without markup, so that Trusted Types policies allow it. */
export function createView(host) {
  const root = host.attachShadow({ mode: 'open', delegatesFocus: true })
  root.adoptedStyleSheets = [style()]
  const icon = make(
    'svg',
    { viewBox: '0 0 24 24', 'aria-hidden': 'true' },
    ...Object.entries(paths).map(([name, d]) => make('path', { class: name, d })),
  )
  const label = make('span')
  const bar = make('progress', { max: '1', 'aria-hidden': 'true' })
  const button = make('button', { type: 'button', part: 'button' }, icon, label, bar)
  // Live region next to the button. It announces states, but not each step of the progress.
  const status = make('span', { role: 'status', class: 'unseen' })
  root.append(button, status)
  bar.hidden = true
  let before

  return {
    button,
    /** Displays a state with its text. A state that was announced is not announced again. */
    show({ state, text, share, language, disabled }) {
      button.dataset.state = state
      button.lang = language
      button.dir = language === 'ar' ? 'rtl' : 'ltr'
      button.disabled = disabled
      const working = state === 'working'
      const still = working || state === 'done' || state === 'denied'
      // `disabled` is not used, because it would remove the focus from the button.
      button.setAttribute('aria-disabled', String(still))
      button.toggleAttribute('aria-busy', working)
      if (working) button.setAttribute('aria-busy', 'true')
      label.textContent = working ? `${text} ${Math.floor(share * 100)} %` : text
      bar.hidden = !working
      bar.value = share
      if (state !== before && state !== 'start') {
        status.lang = language
        status.textContent = text
      }
      before = state
    },
  }
}
