// The clients' calls as tabs; the chosen client holds on every page.
const tabs = [...document.querySelectorAll('.calls [role=tab]')]

function choose(label) {
  const chosen = tabs.find(({ textContent }) => textContent === label) ?? tabs[0]
  for (const tab of tabs) {
    tab.ariaSelected = String(tab === chosen)
    tab.tabIndex = tab === chosen ? 0 : -1
  }
  document.documentElement.dataset.client = chosen.textContent
  return chosen
}

/** Has the tabs follow clicks and arrows. */
export function followTabs() {
  if (tabs.length === 0) return
  choose(document.documentElement.dataset.client)
  for (const [i, tab] of tabs.entries()) {
    tab.addEventListener('click', () => {
      localStorage.setItem('client', tab.textContent)
      choose(tab.textContent)
    })
    tab.addEventListener('keydown', ({ key }) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[key]
      if (step) tabs[(i + step + tabs.length) % tabs.length].focus()
    })
  }
}
