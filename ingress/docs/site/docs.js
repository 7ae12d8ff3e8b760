// Sets up theme, navigation, copy buttons and links to headings.
import { followTabs } from './calls.js'
import { copyButtons } from './copy.js'
import './search.js'

const byId = (id) => document.getElementById(id)

const { dataset } = document.documentElement
const themes = ['system', 'light', 'dark']
function showTheme() {
  const theme = dataset.theme ?? 'system'
  byId('theme-switch').textContent = { system: '◐', light: '☀', dark: '☾' }[theme] ?? ''
  byId('theme-switch').ariaLabel = `Theme: ${theme}`
}
byId('theme-switch').addEventListener('click', () => {
  const next = themes[(themes.indexOf(dataset.theme ?? 'system') + 1) % themes.length] ?? 'system'
  if (next === 'system') {
    delete dataset.theme
    localStorage.removeItem('theme')
  } else {
    dataset.theme = next
    localStorage.setItem('theme', next)
  }
  showTheme()
})
showTheme()

// On wide screens, the navigation is next to the text and keeps its scroll position. On narrow screens, it is
// collapsed.
const contents = byId('contents')
const list = contents.querySelector('nav')
if (matchMedia('(max-width: 56rem)').matches) contents.open = false
const headings = byId('on-this-page')
if (headings && matchMedia('(max-width: 86rem)').matches) headings.open = false
list.scrollTop = Number(sessionStorage.getItem('contents'))
const current = list.querySelector('[aria-current]')
if (current) {
  const [place, shown] = [current.getBoundingClientRect(), list.getBoundingClientRect()]
  if (place.top < shown.top || place.bottom > shown.bottom) list.scrollTop += place.top - shown.top - shown.height / 3
}
addEventListener('pagehide', () => sessionStorage.setItem('contents', String(list.scrollTop)))

followTabs()
copyButtons(document)

for (const heading of document.querySelectorAll('article :is(h2, h3)[id]')) {
  const link = Object.assign(document.createElement('a'), {
    href: `#${heading.id}`,
    className: 'anchor',
    textContent: '#',
  })
  link.ariaLabel = `Link to ${heading.textContent}`
  heading.append(link)
}
