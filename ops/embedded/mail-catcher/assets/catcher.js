// Keeps the list up to date, and shows a confirmation dialog before all messages are deleted.
const regions = document.querySelectorAll('[data-live]')

async function refresh() {
  const answer = await fetch(location.href)
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
  for (const region of regions) {
    const next = page.getElementById(region.id)
    if (next) region.replaceChildren(...next.childNodes)
  }
}

if (regions.length > 0) {
  let asked = false
  const soon = () => {
    if (asked) return
    asked = true
    setTimeout(() => {
      asked = false
      refresh().catch(() => {})
    }, 200)
  }
  const events = new EventSource('/events')
  events.addEventListener('message', soon)
  // Loads messages that arrived while the mail catcher was unavailable.
  events.addEventListener('open', soon)
}

document.addEventListener('submit', (event) => {
  const { dataset } = /** @type {PageElement} */ (event.target)
  const question = dataset.confirm
  if (question && !confirm(question)) event.preventDefault()
})
