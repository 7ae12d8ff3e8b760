// Adds to groups of check boxes: a search, buttons that select a group, counts, and presets.

const boxesIn = (element) => [...element.querySelectorAll('input[type=checkbox]')]

function showCounts(picker) {
  const all = boxesIn(picker)
  for (const group of picker.querySelectorAll('.picker-group')) {
    const boxes = boxesIn(group)
    const ticked = boxes.filter((box) => box.checked).length
    group.querySelector('[data-count]').textContent = ticked > 0 ? `${ticked} of ${boxes.length}` : String(boxes.length)
    const button = group.querySelector('[data-all]')
    if (button) /** @type {Text} */ (button.firstChild).data = ticked === boxes.length ? 'Select none' : 'Select all'
  }
  const ticked = all.filter((box) => box.checked).length
  picker.querySelector('[data-total]').textContent = `${ticked} of ${all.length} selected`
}

/** Shows the options whose name or description has all words, and opens their groups. */
function find(picker, text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  let found = 0
  for (const group of picker.querySelectorAll('.picker-group')) {
    let inGroup = 0
    for (const box of boxesIn(group)) {
      const label = box.closest('label')
      const has = words.every((word) => label.textContent.toLowerCase().includes(word))
      label.hidden = !has
      if (has) inGroup++
    }
    group.hidden = inGroup === 0
    group.open = words.length > 0 ? inGroup > 0 : boxesIn(group).some((box) => box.checked)
    found += inGroup
  }
  picker.querySelector('[data-nothing]').hidden = found > 0
}

function applyPreset(picker, radio) {
  const values = JSON.parse(radio.dataset.preset)
  for (const box of boxesIn(picker)) box.checked = values.includes(box.value)
}

function start(picker) {
  const custom = () => {
    const own = picker.querySelector('[data-preset="[]"]')
    if (own) own.checked = true
  }
  picker.addEventListener('change', ({ target }) => {
    if (target.dataset.preset && target.value !== 'custom') applyPreset(picker, target)
    else if (target.type === 'checkbox') custom()
    showCounts(picker)
  })
  picker.addEventListener('click', ({ target }) => {
    const button = target.closest('button')
    if (!button) return
    const boxes = boxesIn('all' in button.dataset ? button.closest('.picker-group') : picker)
    const tick = 'all' in button.dataset && !boxes.every((box) => box.checked)
    for (const box of boxes) if (!box.closest('label').hidden || !tick) box.checked = tick
    custom()
    showCounts(picker)
  })
  const search = picker.querySelector('[data-search]')
  search.addEventListener('input', () => find(picker, search.value))
  // Enter would submit the form, which is not complete yet.
  search.addEventListener('keydown', (event) => event.key === 'Enter' && event.preventDefault())
  const chosen = picker.querySelector('[data-preset]:checked')
  if (chosen && chosen.value !== 'custom') applyPreset(picker, chosen)
  showCounts(picker)
}

export function pick() {
  for (const picker of document.querySelectorAll('[data-picker]')) start(picker)
}
