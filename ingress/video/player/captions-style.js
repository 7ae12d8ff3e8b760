const key = 'mill-player.captions'
const usual = { size: 'normal', color: 'white', background: 'shade' }

// Available caption styles. Sizes are in percent of the browser's own size. All colours have enough contrast on all
// backgrounds (WCAG 2.1 1.4.3).
const looks = {
  size: { small: '75%', normal: '100%', large: '150%', huge: '200%' },
  color: { white: '#ffffff', yellow: '#ffe94d', cyan: '#6ff2ff', green: '#8cf78c' },
  background: { shade: '#000000cc', black: '#000000', none: '#00000000' },
}

/** Returns the stored style. Returns the default if the values are invalid or the browser has no storage. */
function kept() {
  try {
    const found = JSON.parse(localStorage.getItem(key) ?? '{}')
    const known = (name) => typeof found?.[name] === 'string' && Object.hasOwn(looks[name], found[name])
    return Object.fromEntries(Object.keys(usual).map((name) => [name, known(name) ? found[name] : usual[name]]))
  } catch {
    return usual
  }
}

function keep(style) {
  try {
    if (Object.keys(usual).every((name) => style[name] === usual[name])) localStorage.removeItem(key)
    else localStorage.setItem(key, JSON.stringify(style))
  } catch {
    // Without storage, the style applies only to this page.
  }
}

/**
 * Sets up the panel in `root`. Returns the function that opens the panel. `back` is the element that gets the focus
 * when the panel closes.
 */
export function captionsStyle(root) {
  const panel = root.getElementById('style')
  const fields = Object.keys(usual).map((name) => [name, root.getElementById(`style-${name}`)])
  const sheet = new CSSStyleSheet()
  root.adoptedStyleSheets.push(sheet)
  let back

  function show(style) {
    const { size, color, background } = style
    const outline = background === 'none' ? '0 0 3px #000, 0 0 3px #000, 1px 1px 2px #000' : 'none'
    sheet.replaceSync(`video::cue {
      font-size: ${looks.size[size]}; color: ${looks.color[color]};
      background-color: ${looks.background[background]}; text-shadow: ${outline};
    }`)
    for (const [name, field] of fields) field.value = style[name]
  }
  function become(style) {
    keep(style)
    show(style)
  }
  function close() {
    panel.hidden = true
    back?.focus()
  }
  for (const [, field] of fields)
    field.addEventListener('change', () => become(Object.fromEntries(fields.map(([name, { value }]) => [name, value]))))
  panel.addEventListener('reset', (event) => {
    event.preventDefault()
    become(usual)
  })
  panel.addEventListener('submit', (event) => {
    event.preventDefault()
    close()
  })
  panel.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return
    event.preventDefault()
    close()
  })
  panel.addEventListener('focusout', ({ relatedTarget }) => {
    if (relatedTarget && !panel.contains(relatedTarget)) panel.hidden = true
  })
  show(kept())
  return (from) => {
    back = from
    panel.hidden = false
    fields[0][1].focus()
  }
}
