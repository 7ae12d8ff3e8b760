// Changes an element’s content to match another element. Equal nodes are kept, so focus, selection, open details and
// plots stay as they are.

const keyOf = (node) => (node.nodeType === Node.ELEMENT_NODE ? node.id || node.dataset.key : undefined)

const alike = (a, b) => a.nodeType === b.nodeType && a.nodeName === b.nodeName && keyOf(a) === keyOf(b)

function copyAttributes(from, to) {
  for (const { name } of [...to.attributes]) {
    // Details that the user has opened stay open.
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
  // Nodes with `data-own` are skipped, because JavaScript controls their content.
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
