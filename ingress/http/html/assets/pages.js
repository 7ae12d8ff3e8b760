// Adds links to the first and the previous page of a list. Cursors lead only forward, so each tab keeps the pages that
// it has shown.

const key = 'pages'

/** @returns {Record<string, string[]>} */
function remembered() {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? '{}')
  } catch {
    return {}
  }
}

function link(words, href, rel) {
  const made = document.createElement('a')
  made.className = 'button'
  made.href = href
  made.rel = rel
  made.innerHTML = `<span aria-hidden="true">←</span> `
  made.append(words)
  return made
}

export function pages() {
  const kept = remembered()
  for (const pager of document.querySelectorAll('.pager')) {
    const cursor = pager.dataset.cursor ?? ''
    const here = new URL(location.href)
    const at = here.searchParams.get(cursor)
    here.searchParams.delete(cursor)
    const list = `${cursor} ${here.pathname}${here.search}`
    if (at === null) {
      delete kept[list]
      continue
    }
    const before = kept[list] ?? []
    const place = before.indexOf(at)
    const shown = place < 0 ? before : before.slice(0, place)
    kept[list] = [...shown, at]
    pager.prepend(link('Newest', here.pathname + here.search, 'first'))
    const last = shown.at(-1)
    if (last !== undefined) {
      here.searchParams.set(cursor, last)
      pager.firstElementChild.after(link('Newer', here.pathname + here.search, 'prev'))
    }
    pager.hidden = false
  }
  sessionStorage.setItem(key, JSON.stringify(kept))
}
