import { isBroadcast } from './options.js'

const linear = (byte) => {
  const share = byte / 255
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
}
/** @type {(color: number[]) => number} */
const luminance = ([red, green, blue]) => 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)

// Luminance of the control bar over a white frame, and the minimum contrast, which is 3:1 (WCAG 2.1 1.4.11).
const bar = luminance([0x33, 0x33, 0x33])
const least = 3

/** Returns the colour. If it is not visible on the bar, it is lightened. */
export function seenColor(hex) {
  let color = [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16))
  while ((luminance(color) + 0.05) / (bar + 0.05) < least)
    color = color.map((byte) => Math.min(255, Math.ceil(byte + (255 - byte) / 10)))
  return `rgb(${color.join(' ')})`
}

export function lookOf({ root, video, source, option }) {
  const player = root.getElementById('player')
  const heading = root.getElementById('heading')
  const shows = {
    title() {
      const title = option('title')
      heading.textContent = title
      heading.hidden = title === ''
      player.setAttribute('aria-label', title || 'Video player')
    },
    color: () => player.style.setProperty('--accent', seenColor(option('color'))),
    controls: () => player.classList.toggle('bare', !option('controls')),
    loop() {
      video.loop = option('loop')
    },
    muted() {
      video.muted = option('muted')
    },
    poster() {
      const poster = option('poster') ?? (source && !isBroadcast(source) && new URL('poster.jpg', source).href)
      if (poster) video.poster = poster
      else video.removeAttribute('poster')
    },
  }
  for (const show of Object.values(shows)) show()
  return (name) => shows[name]?.()
}
