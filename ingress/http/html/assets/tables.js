// Makes wide tables scroll by keyboard. A table that fits does not scroll, so its header stays at the top of the window.

const sizes = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    const box = /** @type {PageElement} */ (target.closest('.table') ?? target)
    const wide = box.firstElementChild.scrollWidth > box.clientWidth + 1
    box.classList.toggle('wide', wide)
    if (!wide) {
      for (const name of ['tabindex', 'role', 'aria-label']) box.removeAttribute(name)
      continue
    }
    box.tabIndex = 0
    box.setAttribute('role', 'region')
    box.setAttribute('aria-label', box.querySelector('caption')?.textContent ?? 'Table')
  }
})

function observe(root) {
  for (const box of root.querySelectorAll('.table')) {
    sizes.observe(box)
    sizes.observe(box.firstElementChild)
  }
}

export function tables() {
  observe(document)
  document.addEventListener('fresh', (event) => observe(event.target))
}
