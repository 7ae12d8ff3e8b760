// Makes one element's content like another's while keeping what is alike, so that focus, selection, open details and
// plots outlive an update.

const keyOf = (node) => (node.nodeType === Node.ELEMENT_NODE ? node.id || node.dataset.key : undefined)

const alike = (a, b) => a.nodeType === b.nodeType && a.nodeName === b.nodeName && keyOf(a) === keyOf(b)

function copyAttributes(from, to) {
  for (const { name } of [...to.attributes]) {
    // What the reader opened stays open.
    if (!from.hasAttribute(name) && !(name === 'open' && to.nodeName === 'DETAILS')) to.removeAttribute(name)
  }
  for (const { name, value } of from.attributes) if (to.getAttribute(name) !== value) to.setAttribute(name, value)
}

function update(old, fresh) {
  if (old.nodeType !== Node.ELEMENT_NODE) {
    if (old.nodeValue !== fresh.nodeValue) old.nodeValue = fresh.nodeValue
    return
  }
  copyAttributes(fresh, old)
  // The content of these is a script's own.
  if (!('own' in old.dataset)) morph(old, fresh)
}

export function morph(target, source) {
  const keyed = new Map([...target.children].filter(keyOf).map((child) => [keyOf(child), child]))
  let place = target.firstChild
  for (const fresh of [...source.childNodes]) {
    const known = keyOf(fresh) ? keyed.get(keyOf(fresh)) : place
    if (known && alike(known, fresh)) {
      if (known === place) place = place.nextSibling
      else target.insertBefore(known, place)
      update(known, fresh)
    } else target.insertBefore(fresh, place)
  }
  while (place) {
    const next = place.nextSibling
    place.remove()
    place = next
  }
}
