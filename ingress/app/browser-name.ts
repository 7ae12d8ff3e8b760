/** Names in the user agent of a browser. Browsers imitate others, so the first match counts. */
const browsers = [
  ['Edg/', 'Edge'],
  ['OPR/', 'Opera'],
  ['SamsungBrowser/', 'Samsung Internet'],
  ['Firefox/', 'Firefox'],
  ['FxiOS/', 'Firefox'],
  ['CriOS/', 'Chrome'],
  ['HeadlessChrome/', 'Chrome'],
  ['Chrome/', 'Chrome'],
  ['Version/', 'Safari'],
] as const

const systems = [
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Android', 'Android'],
  ['CrOS', 'ChromeOS'],
  ['Windows', 'Windows'],
  ['Mac OS X', 'macOS'],
  ['Linux', 'Linux'],
] as const

/** Returns the browser, its main version and its system. For example, `Firefox 140 on Windows`. */
export function nameBrowser(agent: string): string {
  const browser = browsers.find(([mark]) => agent.includes(mark))
  const system = systems.find(([mark]) => agent.includes(mark))?.[1]
  if (!browser) return system ? `Browser on ${system}` : agent || 'Unknown browser'
  const [mark, name] = browser
  const version = Number.parseInt(agent.slice(agent.indexOf(mark) + mark.length), 10)
  return `${name}${Number.isNaN(version) ? '' : ` ${version}`}${system ? ` on ${system}` : ''}`
}
