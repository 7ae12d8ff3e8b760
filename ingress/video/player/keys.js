// Keyboard shortcuts. Keys that the focused element uses itself are not shortcuts.
const own = {
  BUTTON: [' ', 'Enter'],
  SELECT: null,
  TEXTAREA: null,
}

const stays = ['Arrow', 'Home', 'End']

function isOwn(target, key) {
  if (target.isContentEditable || own[target.tagName] === null) return true
  if (target.tagName === 'INPUT' && target.type !== 'range') return true
  if (target.getAttribute?.('role') === 'menu' || target.closest?.('[role=menu], [role=dialog], dialog, .panel'))
    return key.length === 1 || stays.some((begin) => key.startsWith(begin))
  return own[target.tagName]?.includes(key) || (target.id === 'volume' && stays.some((begin) => key.startsWith(begin)))
}

export function keysOf(
  video,
  { toggle, toggleMute, toggleFull, toggleCaptions, faster = (_by) => {}, help = () => {} },
) {
  const skip = (seconds) => {
    video.currentTime = Math.min(Math.max(0, video.currentTime + seconds), video.duration || 0)
  }
  const louder = (step) => {
    video.muted = false
    video.volume = Math.min(1, Math.max(0, video.volume + step))
  }
  const to = (tenths) => () => {
    if (Number.isFinite(video.duration)) video.currentTime = (video.duration * tenths) / 10
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
    '<': () => faster(-1),
    '>': () => faster(1),
    '?': help,
    ...Object.fromEntries(Array.from({ length: 10 }, (_, digit) => [String(digit), to(digit)])),
  }
  return (event) => {
    const { key, ctrlKey, metaKey, altKey } = event
    const name = key.length === 1 ? key.toLowerCase() : key
    const action = Object.hasOwn(keys, name) ? keys[name] : undefined
    if (!action || ctrlKey || metaKey || altKey || event.defaultPrevented) return
    if (isOwn(event.composedPath()[0] ?? event.target, key)) return
    event.preventDefault()
    action()
  }
}
