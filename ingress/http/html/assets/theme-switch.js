// Switches the theme between the device’s, light and dark. The browser remembers the choice.

export function themeSwitch() {
  const set = document.getElementById('theme')
  if (!set) return
  const { dataset } = document.documentElement
  const now = dataset.theme ?? 'system'
  for (const input of set.querySelectorAll('input')) input.checked = input.value === now
  set.hidden = false
  set.addEventListener('change', (event) => {
    const { value } = /** @type {PageElement} */ (event.target)
    if (value === 'system') {
      delete dataset.theme
      localStorage.removeItem('theme')
    } else {
      dataset.theme = value
      localStorage.setItem('theme', value)
    }
    document.dispatchEvent(new Event('theme'))
  })
}
