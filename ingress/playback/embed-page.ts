import { html } from '../http/html/html.ts'

/** Returns an SVG icon of one path, 24 units wide and high. */
export const icon = (path: string, name = '') =>
  `<svg${name && ` class="${name}"`} viewBox="0 0 24 24" aria-hidden="true"><path d="${path}"/></svg>`

export const icons = {
  play: icon('M8 5v14l11-7z', 'fill when-paused'),
  pause: icon('M6 5h4v14H6zM14 5h4v14h-4z', 'fill when-playing'),
  loud: icon('M4 9.5v5h3.5L12 19V5L7.5 9.5zM15.5 9a4 4 0 0 1 0 6M18 6.5a8 8 0 0 1 0 11', 'when-loud'),
  muted: icon('M4 9.5v5h3.5L12 19V5L7.5 9.5zM16 9.5l5 5M21 9.5l-5 5', 'when-muted'),
  captions: icon('M3.5 5.5h17v13h-17zM10.5 10.5a2 2 0 1 0 0 3M17 10.5a2 2 0 1 0 0 3'),
  sound: icon('M4 10v4M8 7v10M12 4v16M16 8v8M20 10.5v3'),
  pictureInPicture: icon('M3.5 5.5h17v13h-17zM12 12h6v4.5h-6z'),
  transcript: icon('M4 6h16M4 10h16M4 14h10M4 18h13'),
  cast: icon('M3.5 9V5.5h17v13H14M3.5 18.5h.01M3.5 15a3.5 3.5 0 0 1 3.5 3.5M3.5 11.5a7 7 0 0 1 7 7'),
  remote: icon('M6 17H3.5V5.5h17V17H18M7 19.5l5-6 5 6z'),
  full: icon('M5 9V5h4M15 5h4v4M19 15v4h-4M9 19H5v-4'),
}

export const button = (id: string, label: string, content: string, more = '') =>
  `<button type="button" id="${id}" aria-label="${label}"${more}>${content}</button>`

export const renderMessage = (sentence: string): string =>
  `<main id="player" class="refused"><div id="notice"><p id="trouble" role="alert">${sentence}</p></div></main>`

export const page = (content: string, title: string | null = null): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
${html`<title>${title ?? 'Video'}</title>`.text}
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/v1/stream/player/player.css">
</head>
<body>
${content}
</body>
</html>
`
