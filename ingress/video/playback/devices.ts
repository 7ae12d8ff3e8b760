/** Kinds of devices, with words that their user agents contain. The first match applies. */
const devices: readonly (readonly [string, RegExp])[] = [
  ['tv', /smart-?tv|appletv|apple tv|googletv|google tv|hbbtv|netcast|web0s|bravia|crkey|aft[a-z]|roku/i],
  ['console', /playstation|xbox|nintendo/i],
  ['tablet', /ipad|tablet|kindle|silk|playbook/i],
  ['mobile', /mobi|iphone|ipod/i],
  // Phones with Android also contain `Mobile`.
  ['tablet', /android/i],
  ['desktop', /windows nt|macintosh|x11|cros|linux/i],
]

/** Browsers by their words. Many browsers also contain the words of the browsers below them. */
const browsers: readonly (readonly [string, RegExp])[] = [
  ['samsung', /samsungbrowser/i],
  ['opera', /opr\/|opera|opios/i],
  ['vivaldi', /vivaldi/i],
  ['yandex', /yabrowser/i],
  ['duckduckgo', /duckduckgo|ddg\//i],
  ['edge', /edg(e|a|ios)?\//i],
  ['firefox', /firefox|fxios/i],
  ['chrome', /chrome|chromium|crios/i],
  ['safari', /safari|applewebkit/i],
]

const firstOf = (kinds: typeof devices, agent: string) => kinds.find(([, words]) => words.test(agent))?.[0] ?? 'other'

export interface Device {
  device: string
  browser: string
}

/**
 * Returns the device and the browser of a request. Browsers on tablets can present themselves as desktops. `mobile` is
 * the client hint `Sec-CH-UA-Mobile`, which is more exact than the user agent.
 */
export function readDevice(agent: string, mobile: string | undefined): Device {
  const device = firstOf(devices, agent)
  return {
    device: mobile === '?1' && device === 'desktop' ? 'mobile' : device,
    browser: firstOf(browsers, agent),
  }
}
