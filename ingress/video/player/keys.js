// Keys as viewers know them; what has the focus keeps those that it understands itself.
const own = { BUTTON: [' ', 'Enter'], INPUT: [] }

/** Binds keys to a video and its controls. */
export function bindKeys(video, { toggle, toggleMute, toggleFull, toggleCaptions }) {
  const skip = (seconds) => {
    video.currentTime = Math.min(Math.max(0, video.currentTime + seconds), video.duration || 0)
  }
  const louder = (step) => {
    video.muted = false
    video.volume = Math.min(1, Math.max(0, video.volume + step))
  }
  const keys = {
    ' ': toggle,
    k: toggle,
    j: () => skip(-10),
    l: () => skip(10),
    ArrowLeft: () => skip(-5),
    ArrowRight: () => skip(5),
    ArrowUp: () => louder(0.05),
    ArrowDown: () => louder(-0.05),
    Home: () => skip(-video.currentTime),
    End: () => skip(video.duration),
    m: toggleMute,
    f: toggleFull,
    c: toggleCaptions,
  }
  document.addEventListener('keydown', (event) => {
    const { key, target, ctrlKey, metaKey, altKey } = event
    const name = key.length === 1 ? key.toLowerCase() : key
    const action = Object.hasOwn(keys, name) ? keys[name] : undefined
    if (!action || ctrlKey || metaKey || altKey || event.defaultPrevented) return
    if (own[target.tagName]?.includes(key) || (target.id === 'volume' && /^(Arrow|Home|End)/.test(key))) return
    event.preventDefault()
    action()
  })
}
