// Displays a call in several clients as tabs. The selected client applies to all calls on all pages.
const groups = [...document.querySelectorAll('.calls')].map((group) => [...group.querySelectorAll('[role=tab]')])

function choose(label) {
  document.documentElement.dataset.client = label
  for (const tabs of groups) {
    const chosen = tabs.find(({ textContent }) => textContent === label) ?? tabs[0]
    for (const tab of tabs) {
      tab.ariaSelected = String(tab === chosen)
      tab.tabIndex = tab === chosen ? 0 : -1
    }
  }
}

/** Makes the tabs respond to clicks and arrow keys. */
export function followTabs() {
  if (groups.length === 0) return
  choose(document.documentElement.dataset.client ?? localStorage.getItem('client') ?? 'curl')
  for (const tabs of groups)
    for (const [i, tab] of tabs.entries()) {
      tab.addEventListener('click', () => {
        // Keeps the tab at its position on the screen, even if calls above the tab change their height.
        const { top } = tab.getBoundingClientRect()
        localStorage.setItem('client', tab.textContent)
        choose(tab.textContent)
        scrollBy({ top: tab.getBoundingClientRect().top - top, behavior: 'instant' })
      })
      tab.addEventListener('keydown', ({ key }) => {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[key]
        if (step) tabs[(i + step + tabs.length) % tabs.length].focus()
      })
    }
}
