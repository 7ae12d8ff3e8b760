// Replaces a link to a player (`data-player`) with the player. Without JavaScript, the link opens a page.

export function player() {
  document.addEventListener('click', (event) => {
    const target = /** @type {PageElement} */ (event.target)
    const link = target.closest?.('[data-player]')
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    const frame = document.createElement('iframe')
    frame.className = 'player'
    frame.title = `Player: ${link.dataset.title ?? ''}`
    frame.allow = 'fullscreen; autoplay'
    frame.src = link.dataset.player ?? ''
    link.replaceWith(frame)
    frame.focus()
  })
}
