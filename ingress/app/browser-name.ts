/** Browsers by the word in their `User-Agent`. Others also contain the words of Chrome and Safari, so these are last. */
const browsers = [
  ['Edg', 'Edge'],
  ['OPR', 'Opera'],
  ['SamsungBrowser', 'Samsung Internet'],
  ['Firefox', 'Firefox'],
  ['FxiOS', 'Firefox'],
  ['CriOS', 'Chrome'],
  ['Chrome', 'Chrome'],
  ['Safari', 'Safari'],
] as const

const systems = [
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Android', 'Android'],
  ['Windows', 'Windows'],
  ['Mac OS X', 'macOS'],
  ['CrOS', 'ChromeOS'],
  ['Linux', 'Linux'],
] as const

const nameIn = (agent: string, names: readonly (readonly [word: string, name: string])[]): string | undefined =>
  names.find(([word]) => agent.includes(word))?.[1]

/** Returns a short name of a browser, for example “Firefox on Linux”, or `agent` if it is unknown. */
export function nameBrowser(agent: string): string {
  const browser = nameIn(agent, browsers)
  const system = nameIn(agent, systems)
  return browser && system ? `${browser} on ${system}` : agent || 'Unknown browser'
}
