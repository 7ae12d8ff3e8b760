// Runs while the page loads, directly after the navigation: opens the groups that the user left open, and scrolls to
// the current entry. Otherwise, the navigation would move after the first paint.
{
  const key = `navigation ${document.documentElement.dataset.base}`
  /** @type {Set<string>} */
  const left = new Set(JSON.parse(localStorage.getItem(key) ?? '[]'))
  const groups = document.querySelectorAll('.side details, .menu nav details')
  for (const group of groups) {
    if (left.has(group.dataset.group ?? '')) group.open = true
    group.addEventListener('toggle', () => {
      // The group of the current page is always open, so it is not part of the user’s choice.
      if (group.classList.contains('current')) return
      left[group.open ? 'add' : 'delete'](group.dataset.group ?? '')
      localStorage.setItem(key, JSON.stringify([...left]))
      for (const other of groups) if (other.dataset.group === group.dataset.group) other.open = group.open
    })
  }
  const side = document.querySelector('.side')
  const current = side?.querySelector('[aria-current]')
  if (current) {
    const [entry, list] = [current.getBoundingClientRect(), side.getBoundingClientRect()]
    if (entry.top < list.top || entry.bottom > Math.min(list.bottom, innerHeight)) {
      side.scrollTop += entry.top - list.top - list.height / 3
    }
  }
}
